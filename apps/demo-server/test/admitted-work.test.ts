import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compose, type Parts } from '../src/compose.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { buildServer } from '../src/http/server.ts';
import type { Admission, Applicant } from '../src/overload/admission.ts';
import { routeFunction } from '../src/questions.ts';
import { createCarriers } from '../src/search/carriers.ts';
import { noTelemetry } from '../src/telemetry/telemetry.ts';
import { apiOperations, targetOf } from './api-operations.ts';
import { hostileRequests } from './hostile-requests.ts';

/** Answered however busy the server is: their work is the same whatever a client sends, and looks at the server are shared. */
const ALWAYS = [
  ...['isAlive', 'isReady', 'readConfig', 'readStats', 'readMetrics'],
  ...['readOperatorState', 'followOperatorState'],
  ...['changeCarrierPlan', 'startLoad', 'killProcess', 'reloadWorkers'],
];

const { flags } = readFlags(['--carriers-url', 'http://127.0.0.1:9', '--worms', '0'], {});
let parts: Parts;
let app: FastifyInstance;
let document: Parameters<typeof apiOperations>[0];
/** Admits the request if it is not to be refused. */
let decide = (applicant: Applicant): void => applicant.begin();
let applied = 0;

beforeAll(async () => {
  const carriers = createCarriers(
    { carriersUrl: 'http://127.0.0.1:9', ouigo: flags.ouigo },
    Date.now,
  );
  const worms = { kind: 'none', url: '' } as const;
  parts = await compose(flags, { carriers, worms, now: Date.now, telemetry: noTelemetry });
  const admission: Admission = {
    ...parts.admission,
    connected: () => {},
    stats: () => parts.admission.stats(),
    look: () => 0,
    apply(applicant) {
      applied += 1;
      decide(applicant);
      return () => {};
    },
  };
  const operator = {
    view: async () => ({}) as never,
    control: async () => ({ refusal: { status: 409, detail: 'Nothing' } }) as const,
  };
  app = await buildServer({
    ...{ flags, operator, carriersUrl: '', startedAt: 0, tls: undefined },
    parts: { ...parts, admission },
    draining: () => false,
    processes: async () => [],
  });
  await app.ready();
  document = (await app.inject('/openapi.json')).json();
});
afterAll(async () => {
  await app?.close();
  await parts?.close();
});

function refuseAll(): void {
  applied = 0;
  decide = (applicant) => applicant.refuse('busy');
}

test('every request waits for its admission, but for those of a short list [admitted-work]', async () => {
  refuseAll();
  const operations = apiOperations(document);
  expect(ALWAYS.filter((id) => !operations.some((one) => one.id === id))).toEqual([]);
  for (const operation of operations) {
    if (ALWAYS.includes(operation.id)) continue;
    const url = targetOf(operation, ({ required, filled }) => (required ? filled : undefined));
    const { statusCode } = await app.inject({ method: operation.method as 'GET', url });
    expect([operation.id, statusCode, applied]).toEqual([operation.id, 503, 1]);
    applied = 0;
  }
  const others = ['/', '/docs', '/docs/static/index.css', '/openapi.json', '/assets/x', '/nowhere'];
  for (const url of [...others, '/favicon.ico', '/%ff', '/search/x', '/stations/a/b']) {
    for (const accept of ['text/html', '*/*']) {
      const { statusCode } = await app.inject({ url, headers: { accept } });
      // A target that cannot be decoded has no route, and costs nothing.
      if (url !== '/%ff') expect([url, statusCode]).toEqual([url, 503]);
    }
  }
  expect((await app.inject({ method: 'POST', url: '/search' })).statusCode).toBe(503);
});

/** CPU of this process for one answer, in microseconds: the least of several, since others work meanwhile. */
async function cpuOf(ask: () => unknown, rounds = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await ask();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** Of an answer that costs nothing: linear reading of the largest head is allowed, and no more. */
const FLOOR_US = 1000;
const TIMES = 10;

/** Returns what costs more than an answer to a small request does, with a wide margin. */
async function tooExpensive(isAsked: (name: string) => boolean): Promise<string[]> {
  const ask = (target: string, headers = {}) =>
    app.inject({ url: target, headers: { host: 'localhost', ...headers } });
  const plain = await cpuOf(() => ask('/compute'), 50);
  const found: string[] = [];
  const usualCosts = new Map<string, number>();
  for (const { name, target, headers, usual } of hostileRequests(document)) {
    if (!isAsked(name.split(' ')[0] ?? '')) continue;
    const usually = usualCosts.get(usual) ?? (await cpuOf(() => ask(usual), 10));
    usualCosts.set(usual, usually);
    const most = Math.max(FLOOR_US + usually, TIMES * plain, 3 * usually);
    const cost = await cpuOf(() => ask(target, headers));
    // Further looks, each beside what it is compared with: a busy machine makes everything cost more for a while.
    let isExpensive = cost > most;
    for (let look = 0; isExpensive && look < 5; look += 1) {
      const plainNow = await cpuOf(() => ask('/compute'), 20);
      const usualNow = await cpuOf(() => ask(usual), 20);
      const slower = Math.max(1, plainNow / plain);
      const mostNow = Math.max(FLOOR_US * slower + usualNow, TIMES * plainNow, 3 * usualNow);
      isExpensive = (await cpuOf(() => ask(target, headers), 20)) > mostNow;
    }
    if (isExpensive) found.push(`${name}: ${cost} µs, and ${usually} µs as usual`);
  }
  return found;
}

test('a request that is refused has cost next to nothing, whatever is in it [admitted-work]', async () => {
  refuseAll();
  expect(await tooExpensive((id) => !ALWAYS.includes(id))).toEqual([]);
});

test('no route that is always answered can be made expensive by what a client sends [admitted-work]', async () => {
  refuseAll();
  const isEndless = (id: string): boolean => id === 'followOperatorState';
  expect(await tooExpensive((id) => ALWAYS.includes(id) && !isEndless(id))).toEqual([]);
});

test('the router chooses by any target in next to no time [admitted-work]', async () => {
  const route = routeFunction(flags);
  const choose = (target: string) => () => {
    for (let time = 0; time < 10; time += 1)
      route?.({ kind: 'http1', remoteAddress: undefined, target } as never);
  };
  const plain = await cpuOf(choose('/search?origin=Madrid&destination=Barcelona'), 50);
  for (const { name, target } of hostileRequests(document)) {
    const cost = await cpuOf(choose(target));
    if (cost > Math.max(10 * FLOOR_US, 10 * plain)) {
      expect(await cpuOf(choose(target), 20), name).toBeLessThan(
        Math.max(10 * FLOOR_US, 10 * plain),
      );
    }
  }
});

test('an admitted request costs less than a few searches, whatever is in it', async () => {
  decide = (applicant) => applicant.begin();
  const ask = (url: string, headers = {}) =>
    app.inject({ url, headers: { host: 'localhost', ...headers } });
  await ask('/stations?text=mad');
  const search = await cpuOf(() => ask('/search?origin=Madrid&destination=Barcelona'), 10);
  const most = Math.max(20_000, 5 * search);
  const slow: string[] = [];
  for (const { name, target, headers } of hostileRequests(document)) {
    if (ALWAYS.includes(name.split(' ')[0] ?? '') || target.startsWith('/compute')) continue;
    const cost = await cpuOf(() => ask(target, headers), 2);
    if (cost > most && (await cpuOf(() => ask(target, headers), 8)) > most)
      slow.push(`${name}: ${cost} µs, and ${search} µs for a search`);
  }
  expect(slow).toEqual([]);
});
