// The carrier as CI meets it: the simulator answers in its place, fast, slowly, wrongly or not at all.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type FaultKind, type OwnRequest, startCarrierSim } from '@ticketing/carrier-sim';
import { stationTable } from '@ticketing/carriers';
import { addDays, createLocalClock } from '@ticketing/core';
import { createTrainSearch } from '../src/search.ts';

const [origin, destination] = ['uic:7160000', 'uic:7171801'].map(stationTable.byId);
assert.ok(origin && destination);
const date = addDays(createLocalClock().dateOf(Date.now(), origin.zone), 1);
const query = { origin, destination, date, passengers: 2 };
/** A deadline that no test is to reach. */
const patient = { deadlineMs: 60_000 };

/** What the carrier answers when it is well: one train for the day in the path. */
function answerNight({ path }: OwnRequest) {
  const [, day = ''] = /^\/departures\/([\d-]+)\/7160000\/7171801$/.exec(path) ?? [];
  const beds = [
    { class: 'cabin', price: '119.00' },
    { class: 'couchette', price: '49.90' },
  ];
  const train = { train: '402', leaves: `${day}T22:05`, arrives: `${addDays(day, 1)}T07:40`, beds };
  return { body: { departures: [train] } };
}

async function start(t: TestContext) {
  const atOnce = { latency: { kind: 'fixed', ms: 0 } } as const;
  const sim = await startCarrierSim({
    carriers: { night: answerNight },
    plan: { night: atOnce, avlo: atOnce },
  });
  const trains = createTrainSearch({ night: `${sim.url}/night`, avlo: `${sim.url}/avlo` });
  t.after(async () => {
    await trains[Symbol.asyncDispose]();
    await sim.close();
  });
  return { sim, search: trains.search, stream: trains.stream };
}

test('night trains are in one list with the trains of another carrier', async (t) => {
  const { search } = await start(t);
  const { journeys, complete } = await search(query, patient);
  assert.equal(complete, true);
  assert.ok(journeys.some(({ sources }) => sources.includes('avlo')));
  const [night, ...others] = journeys.filter(({ sources }) => sources.includes('night'));
  assert.equal(others.length, 0);
  assert.equal(night?.departure.iso.slice(0, 16), `${date}T22:05`);
  assert.equal(night?.durationMinutes, 575);
  const [cheapest] = night?.offers ?? [];
  assert.deepEqual([cheapest?.fareName, cheapest?.total.amount], ['couchette', 9980]);
  assert.ok(Date.now() - (cheapest?.fetchedAt ?? 0) < 60_000);
});

test('latencies are drawn from a seed: each search of a slow day is complete', async (t) => {
  const { sim, search } = await start(t);
  sim.setPlan('night', { latency: { kind: 'lognormal', p50Ms: 20, p99Ms: 200 } });
  const searches = await Promise.all(Array.from({ length: 20 }, () => search(query, patient)));
  assert.ok(searches.every(({ complete }) => complete));
  assert.equal(sim.requests().night.answered, 20);
});

/** How each fault of the carrier ends in the search. */
const faults: readonly [kind: FaultKind, state: string, code: string][] = [
  ['hang', 'timeout', 'TIMEOUT'],
  ['drip', 'timeout', 'TIMEOUT'],
  ['truncated', 'error', 'PROTOCOL'],
  ['error', 'error', 'HTTP'],
  ['rate-limited', 'rate-limited', 'RATE_LIMITED'],
  ['throttled', 'rejected-busy', 'OVERLOADED'],
];
for (const [kind, state, code] of faults) {
  test(`${kind}: the other carrier's trains are there, and the reason why these are not`, async (t) => {
    // The clock is the test's: the deadline comes when the other carrier has answered, on any machine.
    if (code === 'TIMEOUT') t.mock.timers.enable({ apis: ['setTimeout'] });
    const { sim, stream } = await start(t);
    sim.setPlan('night', { fault: { kind } });
    const statuses = new Map<string, string>();
    let found = 0;
    for await (const event of stream(query, patient)) {
      if (event.type === 'carrier-status') {
        const { carrier, state, error } = event.status;
        statuses.set(carrier, `${state} ${error?.code ?? ''}`);
        if (carrier === 'avlo' && code === 'TIMEOUT') t.mock.timers.tick(patient.deadlineMs);
      } else if (event.type === 'journeys-upsert') {
        found += event.journeys.length;
      } else if (event.type === 'search-done') {
        assert.equal(event.complete, false);
      }
    }
    assert.ok(found > 0);
    assert.equal(statuses.get('night'), `${state} ${code}`);
    assert.equal(statuses.get('avlo'), 'ok ');
    // A client that gave up has left nothing open.
    while (sim.requests().night.open > 0) await turn();
  });
}

test('the carrier is in the list again as soon as it is well', async (t) => {
  const { sim, search } = await start(t);
  sim.setPlan('night', { fault: { kind: 'truncated' } });
  assert.equal((await search(query, patient)).complete, false);
  sim.setPlan('night', { fault: null });
  assert.equal((await search(query, patient)).complete, true);
});
