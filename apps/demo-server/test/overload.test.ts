import { request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  getFrom,
  MADRID_BARCELONA,
  requestsAt,
  serveDemo,
  setPlan,
  startDemo,
  statsOf,
} from './demo.ts';

vi.setConfig({ testTimeout: 60_000 });

/** What Avlo is asked by one search. */
const AVLO_CALLS = 2;

type Get = typeof getFrom;

/** Carriers that never answer, so that requests stay in flight. */
async function hang(carriersUrl: string): Promise<void> {
  for (const carrier of ['renfe', 'ouigo', 'avlo']) {
    await setPlan(carriersUrl, carrier, { latency: { kind: 'fixed', ms: 60_000 } });
  }
}

async function admissionOf(get: Get) {
  const processes = await statsOf({ get });
  return processes.find(({ role }: { role: string }) => role === 'server').admission;
}

/** Waits until so many are in flight and so many wait. */
async function until(get: Get, expected: object): Promise<void> {
  await vi.waitFor(async () => expect(await admissionOf(get)).toMatchObject(expected), {
    timeout: 30_000,
  });
}

/** A request whose client can leave. */
function ask(url: string, path = MADRID_BARCELONA) {
  const controller = new AbortController();
  const answer = getFrom(url + path, { signal: controller.signal }).catch(() => undefined);
  return { answer, leave: () => controller.abort() };
}

/** A request whose body never ends: it stays in flight, whatever the deadline. */
function upload(url: string) {
  const client = request(`${url}/sink`, { method: 'POST' });
  client.on('error', () => {});
  client.write('x');
  onTestFinished(() => {
    client.destroy();
  });
  return { leave: () => client.destroy() };
}

test.each([
  ['single', []],
  ['cluster', ['--accept', 'cluster', '--workers', '1']],
  ['socket', ['--accept', 'socket', '--workers', '1']],
  ['passthru', ['--accept', 'passthru', '--workers', '1']],
])(
  '--accept %s: what is above the limit waits, what waits too long is 503 with Retry-After, and operators are answered',
  async (_, flags) => {
    const { url, carriersUrl } = await startDemo(
      [...flags, '--max-in-flight', '2', '--coalesce', 'off', '--latency', '0'],
      { DEADLINE_MS: '3000' },
    );
    const get: Get = (path, init) => getFrom(url + path, init);
    const uploads = [upload(url), upload(url)];
    await until(get, { limit: 2, inFlight: 2, waiting: 0 });
    const third = get(MADRID_BARCELONA);
    for (const path of ['/healthz', '/readyz', '/config', '/openapi.json']) {
      expect((await get(path)).status).toBe(200);
    }
    expect((await get('/nowhere')).status).toBe(404);
    const refused = await third;
    expect(refused).toMatchObject({
      status: 503,
      type: 'application/problem+json',
      body: {
        type: 'urn:ticketing:problem:too-busy',
        title: 'Too busy',
        status: 503,
        instance: '/search',
        code: 'ERR_EXPIRED',
      },
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(Number(refused.headers.get('x-worker'))).toBeGreaterThan(0);
    expect((await requestsAt(carriersUrl))['avlo']?.arrived ?? 0).toBe(0);
    for (const { leave } of uploads) leave();
    await until(get, { inFlight: 0, waiting: 0, refused: { late: 1 } });
  },
);

test('a request whose client leaves while it waits is never begun', async () => {
  const { get, url, carriersUrl } = await serveDemo('--max-in-flight', '1', '--coalesce', 'off');
  await hang(carriersUrl);
  const first = ask(url);
  await until(get, { inFlight: 1 });
  const second = ask(url);
  await until(get, { waiting: 1 });
  second.leave();
  await until(get, { inFlight: 1, waiting: 0, left: 1 });
  first.leave();
  await until(get, { inFlight: 0 });
  expect((await requestsAt(carriersUrl))['avlo']?.arrived).toBe(AVLO_CALLS);
});

test('joining a search in flight takes no place, and equal ones that wait are one', async () => {
  const { get, url, carriersUrl } = await serveDemo('--max-in-flight', '1');
  await hang(carriersUrl);
  const [, ...joined] = [ask(url), ...[1, 2, 3].map(() => ask(url))];
  await until(get, { inFlight: 1, waiting: 0, joined: 3 });
  const others = [1, 2].map(() => ask(url, `${MADRID_BARCELONA}&passengers=2`));
  const stream = getFrom(url + MADRID_BARCELONA, { headers: { accept: 'application/x-ndjson' } });
  // A stream is each client's own; equal searches share one place in the queue.
  await until(get, { inFlight: 1, waiting: 2, joined: 3 });
  await Promise.all([...joined, ...others].map(({ leave }) => leave()));
  expect((await stream).status).toBe(503);
});

test('--max-in-flight off refuses nobody', async () => {
  const flags = ['--max-in-flight', 'off', '--coalesce', 'off', '--latency', '0'];
  const { get } = await serveDemo(...flags);
  const answers = await Promise.all(Array.from({ length: 50 }, () => get(MADRID_BARCELONA)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await admissionOf(get)).toMatchObject({
    limit: null,
    admitted: 50,
    refused: { busy: 0, late: 0 },
  });
});
