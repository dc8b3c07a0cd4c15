import type { AddressInfo } from 'node:net';
import { wholeBetween } from '@ticketing/kit';
import { expect, onTestFinished, test } from 'vitest';
import { createGate } from '../src/server/capacity.ts';
import { addWireRoutes } from '../src/server/carrier-routes.ts';
import { defaultPlan, ownTraits, type Plan, resolvePlan } from '../src/server/plan.ts';
import { createRequestLog } from '../src/server/request-log.ts';
import { createApp } from '../src/server/start-carrier-sim.ts';
import { jsonAnswer, type Wire, type WireRequest } from '../src/wires/wire.ts';
import type { PlanTraits } from '../src/wires/wires.ts';
import { searchOuigo, tokenOfOuigo } from './call-wires.ts';
import { madridBarcelona, startedSim } from './started-sim.ts';

const traits: PlanTraits = {
  faults: { 'short-page': {}, padding: { megabytes: wholeBetween(0, 64, 1) } },
  hasTrains: true,
  hasPrices: false,
  hasPages: true,
};
const instant: Plan = { ...defaultPlan, latency: { kind: 'fixed', ms: 0 } };

/** Serves a wire that is in no registry. */
async function served(wire: Partial<Wire>, patch: unknown = {}): Promise<string> {
  const app = createApp();
  const plan = resolvePlan('fake', traits, instant, patch);
  const log = createRequestLog(['fake'], () => 0);
  const whole = { calls: [], throttled: () => jsonAnswer({}, 503), ...wire };
  const gate = createGate(() => null);
  addWireRoutes(app, whole, { carrier: 'fake', seed: '1', log, gate, plan: () => plan });
  onTestFinished(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/fake`;
}

test('a wire gets the request as it was sent, and answers any status, headers and body', async () => {
  const seen: WireRequest[] = [];
  const answer = async (request: WireRequest) => {
    seen.push(request);
    const headers = { 'content-type': 'application/xml; charset=utf-8', 'set-cookie': ['a', 'b'] };
    return { status: 404, headers, body: '<none/>' };
  };
  const url = await served({
    calls: [{ method: 'POST', path: '/:year/*', search: true, answer }],
  });
  const response = await fetch(`${url}/2026/bin/mgate.exe?mic=1&mac=a%20b&mic=2`, {
    method: 'POST',
    headers: { 'content-type': 'application/xml', 'X-Requestor': 'me' },
    body: '<ä/>',
  });
  expect([response.status, response.headers.getSetCookie(), await response.text()]).toEqual([
    404,
    ['a', 'b'],
    '<none/>',
  ]);
  expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    method: 'POST',
    path: '/2026/bin/mgate.exe',
    params: { year: '2026', '*': 'bin/mgate.exe' },
    headers: { 'x-requestor': 'me', 'content-type': 'application/xml' },
    body: '<ä/>',
  });
  expect(seen[0]?.query.getAll('mic')).toEqual(['1', '2']);
  expect(seen[0]?.query.get('mac')).toBe('a b');
  expect(Buffer.from(seen[0]?.bytes ?? []).toString()).toBe('<ä/>');
});

test('a wire answers wrong paths and methods itself, where it wants to', async () => {
  const url = await served({
    calls: [{ method: 'POST', path: '/offers', answer: () => jsonAnswer({}) }],
    otherCalls: ({ method, path }) =>
      jsonAnswer({ title: `${method} ${path}` }, 405, {
        'content-type': 'application/problem+json',
      }),
  });
  expect((await fetch(`${url}/offers`, { method: 'POST' })).status).toBe(200);
  for (const path of ['/offers', '/none/at/all', '']) {
    const response = await fetch(`${url}${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      405,
      'application/problem+json; charset=utf-8',
    ]);
    expect(await response.json()).toEqual({ title: `GET ${path || '/'}` });
  }
});

test('a fault of the wire reaches its searches with its options, and spares its other calls', async () => {
  const answer = ({ fault }: WireRequest) => jsonAnswer(fault ?? null);
  const calls = [
    { method: 'GET', path: '/search', search: true, answer },
    { method: 'GET', path: '/login', answer },
  ] as const;
  const padded = await served({ calls }, { fault: { kind: 'padding', megabytes: 3 } });
  expect(await (await fetch(`${padded}/search`)).json()).toEqual({
    kind: 'padding',
    share: 1,
    megabytes: 3,
  });
  expect(await (await fetch(`${padded}/login`)).json()).toBeNull();
  const never = await served({ calls }, { fault: { kind: 'short-page', share: 0 } });
  expect(await (await fetch(`${never}/search`)).json()).toBeNull();
});

test('a plan takes the faults of its own wire alone, with their options', () => {
  const set = (patch: unknown, of = traits) => resolvePlan('fake', of, defaultPlan, patch);
  expect(set({ fault: { kind: 'padding' } }).fault).toEqual({
    kind: 'padding',
    share: 1,
    megabytes: 1,
  });
  expect(set({ pageSize: 5 }).pageSize).toBe(5);
  const refused = (patch: unknown, of?: PlanTraits) => {
    try {
      return set(patch, of);
    } catch (error) {
      return String(error).replace('Cannot set plan of `fake`: ', '');
    }
  };
  expect(refused({ fault: { kind: 'padding', megabytes: 65 } })).toBe(
    'RangeError: `plan.fault.megabytes` must be an integer of 0 to 64, got 65',
  );
  expect(refused({ fault: { kind: 'short-page', megabytes: 5 } })).toBe(
    'TypeError: unknown option `plan.fault.megabytes`; known are kind, share',
  );
  expect(refused({ fault: { kind: 'malformed-price' } })).toBe(
    'TypeError: `plan.fault.kind` malformed-price is for carriers with prices',
  );
  expect(refused({ pageSize: 5 }, { ...traits, hasPages: false })).toBe(
    'TypeError: `plan.pageSize` is for carriers that answer in pages',
  );
  expect(refused({ pageSize: 0 })).toBe(
    'RangeError: `plan.pageSize` must be null or an integer of 1 to 1000, got 0',
  );
  expect(refused({ pageSize: 5 }, ownTraits)).toBe(
    'TypeError: `plan.pageSize` is for carriers of the simulator alone; let `carriers.fake` answer so',
  );
});

test('token-refused answers 401 to a valid token of Ouigo, and is no fault of others', async () => {
  const sim = await startedSim({ plan: { ouigo: { fault: { kind: 'token-refused' } } } });
  const token = await tokenOfOuigo(sim.url);
  const search = { ...madridBarcelona, origin: 'MAD', destination: 'BCN', token };
  expect((await searchOuigo(sim.url, search)).status).toBe(401);
  const put = await fetch(`${sim.url}/plan/renfe`, {
    method: 'PUT',
    body: '{"fault":{"kind":"token-refused"}}',
  });
  expect([put.status, ((await put.json()) as { message: string }).message]).toEqual([
    400,
    expect.stringMatching(
      /`plan\.fault\.kind` must be one of .*, throttled, waiting-room, .*, got token-refused$/,
    ),
  ]);
  sim.setPlan('ouigo', { fault: null });
  expect((await searchOuigo(sim.url, search)).status).toBe(200);
});
