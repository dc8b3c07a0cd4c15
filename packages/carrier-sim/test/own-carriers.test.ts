import { request as httpRequest } from 'node:http';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import {
  type CarrierSim,
  type CarrierSimId,
  type CarrierSimOptions,
  type OwnCarrier,
  type OwnRequest,
  type OwnRequestCounts,
  startCarrierSim,
} from '../src/index.ts';
import { eventually } from './started-sim.ts';

/** Starts a simulator with own carriers and without latency. */
async function started<Own extends string>(
  carriers: Readonly<Record<Own, OwnCarrier>>,
  options: Omit<CarrierSimOptions<Own>, 'carriers'> = {},
): Promise<CarrierSim<Own>> {
  // At one time: its counts are by the second.
  const now = () => Date.parse('2026-11-21T10:00:00Z');
  const sim = await startCarrierSim({ now, ...options, carriers });
  onTestFinished(() => sim.close());
  for (const name of Object.keys(carriers) as Own[]) {
    sim.setPlan(name, { latency: { kind: 'fixed', ms: 0 } });
  }
  return sim;
}

const trains = { trains: [{ number: '7', from: '22:05' }] };
const night: OwnCarrier = () => ({ body: trains });

test('a carrier of your own answers below its name, beside the carriers of the simulator', async () => {
  const sim = await startCarrierSim({ carriers: { night }, plan: { night: {}, avlo: {} } });
  onTestFinished(() => sim.close());
  expect(await (await fetch(`${sim.url}/night/2026-12-01`)).json()).toEqual(trains);
  expect((await fetch(`${sim.url}/renfe/vol/inicio.do`)).status).toBe(200);
  expect(sim.requests()).toMatchObject({
    renfe: { arrived: 1 },
    night: { arrived: 1, answered: 1, aborted: 0, open: 0, mostOpen: 1, failed: 0 },
  });
  expectTypeOf(sim.requests().night).toEqualTypeOf<OwnRequestCounts>();
  expectTypeOf(sim.setPlan).parameter(0).toEqualTypeOf<CarrierSimId | 'night'>();
  // @ts-expect-error because there is no carrier of that name
  expect(() => sim.plan('day')).toThrow(RangeError);
  // @ts-expect-error because the plan is of no carrier
  await expect(startCarrierSim({ carriers: { night }, plan: { day: {} } })).rejects.toThrow('day');
});

test('the handler of a carrier gets method, path, query, headers and body, as they were sent', async () => {
  const seen: OwnRequest[] = [];
  const sim = await started({
    echo: (request) => {
      seen.push(request);
      return { status: 204 };
    },
  });
  const call = (path: string, init: RequestInit = {}) => fetch(`${sim.url}/echo${path}`, init);
  await call('');
  await call('/a%20b/c?x=1&x=2', { method: 'POST', body: 'ü', headers: { 'X-Trip': '9' } });
  await call('/', { method: 'DELETE' });
  await call('/bytes', { method: 'PUT', body: new Uint8Array([0, 255]) });
  expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', '/', ''],
    ['POST', '/a%20b/c', 'ü'],
    ['DELETE', '/', ''],
    ['PUT', '/bytes', '\0\ufffd'],
  ]);
  expect(seen[1]?.query.getAll('x')).toEqual(['1', '2']);
  expect(seen[1]?.headers).toMatchObject({ 'x-trip': '9' });
  expect([...(seen[3]?.bytes ?? [])]).toEqual([0, 255]);
});

test('the answer of a carrier may be text, bytes, a list or nothing, with status and headers, later or at once', async () => {
  const sim = await started({
    any: async ({ path }) => {
      if (path === '/text') return { body: 'soon', headers: { 'Set-Cookie': ['a=1', 'b=2'] } };
      if (path === '/bytes') return { body: new Uint8Array([1, 2]) };
      if (path === '/xml') return { body: '<a/>', headers: { 'Content-Type': 'application/xml' } };
      if (path === '/list') return { body: [1, 2], status: 201 };
      return {};
    },
  });
  const call = (path: string) => fetch(`${sim.url}/any${path}`);
  const text = await call('/text');
  expect([text.headers.get('content-type'), await text.text()]).toEqual([
    'text/plain; charset=utf-8',
    'soon',
  ]);
  expect(text.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  const bytes = await call('/bytes');
  expect(bytes.headers.get('content-type')).toBe('application/octet-stream');
  expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([1, 2]);
  expect((await call('/xml')).headers.get('content-type')).toBe('application/xml');
  const list = await call('/list');
  expect([list.status, await list.json()]).toEqual([201, [1, 2]]);
  const none = await call('/none');
  expect([none.status, await none.text()]).toEqual([200, '']);
});

test.each<[what: string, carrier: OwnCarrier, detail: string]>([
  [
    'throws',
    () => {
      throw new Error('no timetable');
    },
    'no timetable',
  ],
  ['rejects', () => Promise.reject('later'), 'later'],
  [
    'answers nothing',
    () => undefined as never,
    'Cannot answer as `odd`: `answer` must be an object, got undefined',
  ],
  [
    'forgets `body`',
    () => trains as never,
    'Cannot answer as `odd`: unknown option `answer.trains`; known are status, headers, body',
  ],
  [
    'answers an impossible status',
    () => ({ status: 99 }),
    'Cannot answer as `odd`: `answer.status` must be an integer of 200 to 599, got 99',
  ],
  [
    'answers a header that HTTP does not know',
    () => ({ headers: { 'x y': '1' } }),
    'Header name must be a valid HTTP token ["x y"]',
  ],
  [
    'answers what JSON does not know',
    () => ({ body: { seats: 1n } }),
    'Do not know how to serialize a BigInt',
  ],
])('a carrier that %s answers 500 with a problem, and is counted', async (_what, odd, detail) => {
  const sim = await started({ odd });
  const response = await fetch(`${sim.url}/odd`);
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(await response.json()).toEqual({
    title: 'Internal Server Error',
    status: 500,
    code: 'ERR_CARRIER_FAILED',
    detail: `Carrier \`odd\` failed: ${detail}`,
  });
  expect(sim.requests().odd).toMatchObject({ arrived: 1, answered: 1, failed: 1 });
});

test('a body above 1 MiB is answered 413, without its handler', async () => {
  let asked = 0;
  const sim = await started({
    small: ({ bytes }) => {
      asked += 1;
      return { body: { length: bytes.length } };
    },
  });
  const post = (length: number) =>
    fetch(`${sim.url}/small`, { method: 'POST', body: new Uint8Array(length) });
  expect(await (await post(1024 * 1024)).json()).toEqual({ length: 1024 * 1024 });
  expect((await post(1024 * 1024 + 1)).status).toBe(413);
  expect(asked).toBe(1);
  await eventually(() => expect(sim.requests().small).toMatchObject({ arrived: 2, open: 0 }));
});

test('the signal of a carrier aborts when the client leaves, and when the simulator closes', async () => {
  const signals: AbortSignal[] = [];
  const sim = await started({
    slow: ({ signal }) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const client = new AbortController();
  const first = fetch(`${sim.url}/slow`, { signal: client.signal });
  await eventually(() => expect(signals).toHaveLength(1));
  client.abort();
  await expect(first).rejects.toThrow('aborted');
  await eventually(() => expect(signals[0]?.aborted).toBe(true));
  const second = fetch(`${sim.url}/slow`).catch(() => 'closed');
  await eventually(() => expect(signals).toHaveLength(2));
  await sim.close();
  expect(await second).toBe('closed');
  await eventually(() => expect(signals[1]?.aborted).toBe(true));
  expect(sim.requests().slow).toMatchObject({ arrived: 2, aborted: 2, open: 0 });
});

test('hang, error, rate-limited and throttled strike before the handler', async () => {
  let asked = 0;
  const sim = await started({
    night: () => {
      asked += 1;
      return { body: 'x' };
    },
  });
  const fault = (kind: 'hang' | 'error' | 'rate-limited' | 'throttled') =>
    sim.setPlan('night', { fault: { kind } });
  fault('error');
  expect((await fetch(`${sim.url}/night`)).status).toBe(500);
  sim.setPlan('night', { fault: { kind: 'rate-limited', retryAfterSeconds: 7 } });
  const limited = await fetch(`${sim.url}/night`);
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
  fault('throttled');
  const throttled = await fetch(`${sim.url}/night`);
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([503, '1']);
  fault('hang');
  const client = new AbortController();
  const hung = fetch(`${sim.url}/night`, { signal: client.signal });
  await eventually(() => expect(sim.requests().night.open).toBe(1));
  client.abort();
  await expect(hung).rejects.toThrow('aborted');
  expect(asked).toBe(0);
});

test('truncated sends half of its answer, drip byte by byte', async () => {
  const sim = await started({
    night: () => ({ body: 'abcd', headers: { 'Content-Length': '4', 'X-Night': 'yes' } }),
  });
  sim.setPlan('night', { fault: { kind: 'truncated' } });
  expect(await (await fetch(`${sim.url}/night`)).text()).toBe('ab');
  sim.setPlan('night', { fault: { kind: 'drip' } });
  const chunks = await new Promise<string[]>((resolve, reject) => {
    const seen: string[] = [];
    const call = httpRequest(`${sim.url}/night`, (response) => {
      expect(response.headers).toMatchObject({ 'content-length': '4', 'x-night': 'yes' });
      response.on('data', (chunk) => seen.push(String(chunk)));
      response.on('end', () => resolve(seen));
    });
    call.on('error', reject).end();
  });
  expect(chunks).toEqual(['a', 'b', 'c', 'd']);
});

test('share and latency are drawn for it by the seed, and PUT /plan/night changes them', async () => {
  const statuses = async (seed: string) => {
    const sim = await started({ night }, { seed });
    const plan = { fault: { kind: 'error', share: 0.5 } };
    const put = await fetch(`${sim.url}/plan/night`, {
      method: 'PUT',
      body: JSON.stringify(plan),
    });
    expect(await put.json()).toEqual({
      latency: { kind: 'fixed', ms: 0 },
      fault: { kind: 'error', share: 0.5 },
      journeys: null,
      capacity: null,
      pageSize: null,
    });
    const found: number[] = [];
    for (let call = 0; call < 20; call++) found.push((await fetch(`${sim.url}/night`)).status);
    expect(await (await fetch(`${sim.url}/requests`)).json()).toEqual(sim.requests());
    return found;
  };
  const first = await statuses('a');
  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await statuses('a')).toEqual(first);
  expect(await statuses('b')).not.toEqual(first);
});
