import { expect, test } from 'vitest';
import { startCarrierSim } from '../src/index.ts';
import { carrierSimIds, perCarrier } from '../src/timetable/sim-carriers.ts';
import { getAvlo } from './call-wires.ts';
import { date, startedSim } from './started-sim.ts';

const put = (url: string, carrier: string, body: string) =>
  fetch(`${url}/plan/${carrier}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  });
const initial = {
  latency: { kind: 'fixed', ms: 50 },
  fault: null,
  journeys: null,
  capacity: null,
  pageSize: null,
};

test('GET /plan answers every plan and GET /plan/:carrier one', async () => {
  await using sim = await startCarrierSim();
  const all = await (await fetch(`${sim.url}/plan`)).json();
  expect(all).toEqual(perCarrier(() => initial));
  expect(await (await fetch(`${sim.url}/plan/ouigo`)).json()).toEqual(initial);
});

test('PUT /plan/:carrier merges the fields given, and answers the whole plan', async () => {
  await using sim = await startCarrierSim();
  const first = await put(sim.url, 'avlo', '{"fault":{"kind":"throttled"},"journeys":3}');
  const fault = { kind: 'throttled', share: 1, retryAfterSeconds: 1 };
  expect(await first.json()).toEqual({ ...initial, fault, journeys: 3 });
  const second = await put(sim.url, 'avlo', '{"fault":null,"latency":{"kind":"random"}}');
  const plan = { ...initial, latency: { kind: 'random' }, journeys: 3 };
  expect(await second.json()).toEqual(plan);
  expect(sim.plan('avlo')).toEqual(plan);
  expect(sim.plan('renfe')).toEqual(initial);
});

test('PUT /plan/:carrier takes effect with the next call', async () => {
  const sim = await startedSim();
  await put(sim.url, 'avlo', '{"journeys":1}');
  expect(await (await getAvlo(sim.url, date)).json()).toHaveLength(20);
});

test('PUT /plan/:carrier answers 400 to a plan that it cannot follow and keeps the old one', async () => {
  const sim = await startedSim();
  const before = sim.plan('avlo');
  const complaints = {
    '{"journeys":-1}': '`plan.journeys` must be null or an integer of 0 to 1000, got -1',
    '{"speed":1}':
      'unknown option `plan.speed`; known are latency, fault, journeys, capacity, pageSize',
    '[]': '`plan` must be an object, got []',
    '{"fault"': '`plan` must be an object, got {"fault"',
    '': "`plan` must be an object, got ''",
  };
  for (const [body, complaint] of Object.entries(complaints)) {
    const response = await put(sim.url, 'avlo', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      code: 'ERR_BAD_PLAN',
      message: `Cannot set plan of \`avlo\`: ${complaint}`,
    });
  }
  expect(sim.plan('avlo')).toEqual(before);
});

test('/plan/:carrier answers 404 for a carrier that is not simulated', async () => {
  const sim = await startedSim();
  for (const response of [await put(sim.url, 'sncf', '{}'), await fetch(`${sim.url}/plan/sncf`)]) {
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      code: 'ERR_UNKNOWN_CARRIER',
      message: `Cannot find plan: \`carrier\` must be one of ${carrierSimIds.join(', ')}, got sncf`,
    });
  }
});

test('GET /requests answers the counts, without control calls', async () => {
  const sim = await startedSim();
  await (await getAvlo(sim.url, date)).text();
  const perSecond = Array.from({ length: 60 }, () => 0);
  const none = {
    arrived: 0,
    answered: 0,
    aborted: 0,
    open: 0,
    mostOpen: 0,
    attempts: {},
    perSecond,
  };
  const avlo = {
    ...none,
    arrived: 1,
    answered: 1,
    mostOpen: 1,
    attempts: { [date]: 1 },
    perSecond: perSecond.with(59, 1),
  };
  const counts = { ...perCarrier(() => none), avlo };
  expect(await (await fetch(`${sim.url}/requests`)).json()).toEqual(counts);
  expect(sim.requests()).toEqual(counts);
});
