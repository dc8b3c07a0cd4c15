import accepts from '@fastify/accepts';
import { admitRoutes } from '@ticketing/admission/fastify';
import type { SearchEvent } from '@ticketing/core';
import { type FastifyInstance, type FastifyPluginCallback, fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { eventsKey, kinds } from '../src/answers/kinds.ts';
import { readIntegers, validation } from '../src/compose/build-server.ts';
import { createBodySender } from '../src/http/body-sender.ts';
import { type SearchDependencies, searchRoute } from '../src/http/routes/search.ts';
import { stationRoutes } from '../src/http/routes/stations.ts';
import { type WormsDependencies, wormsRoute } from '../src/http/routes/worms.ts';
import { sendProblem } from '../src/problem/problem.ts';
import { createPageTokens } from '../src/search/page-tokens.ts';
import { createSearchReader } from '../src/search/reading/search-reader.ts';
import type { SearchDocument } from '../src/search/search-document.ts';
import { WormError } from '../src/worms/worm-error.ts';
import { ASKED } from './demo.ts';

// Each route by itself, with what a test gives it: no server listens, and no process is started.

interface Served {
  readonly app: FastifyInstance;
  /** Keys by which requests were admitted. */
  readonly admitted: (string | undefined)[];
}

/** Serves one route, behind an admission that begins every request. */
async function served<D extends object>(route: unknown, dependencies: D): Promise<Served> {
  const app = fastify({ ajv: { customOptions: validation } });
  onTestFinished(() => app.close());
  const admitted: (string | undefined)[] = [];
  const admission = {
    apply({ key, begin }: { key?: string | undefined; begin(): void }) {
      admitted.push(key);
      begin();
      return () => {};
    },
    connected: () => {},
    arrivedAt: () => performance.now(),
  };
  await app.register(admitRoutes, { admission: admission as never });
  await app.register(accepts);
  app.setErrorHandler(sendProblem);
  app.addHook('onRoute', readIntegers);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(route as FastifyPluginCallback<D>, dependencies as never);
  await app.ready();
  return { app, admitted };
}

const TARGET = '/search?origin=Madrid&destination=Barcelona&passengers=2';
const PAGE = { v: 1, query: 'q', direction: 'later', byCarrier: {} } as const;
/** What the route of searches needs, and what it does with it. */
function searchDependencies({ isShared = true } = {}) {
  const tokens = createPageTokens('a key of these tests');
  const document: SearchDocument = {
    body: Buffer.from('{"journeys":[],"ms":7}'),
    pages: { later: PAGE },
    carriers: [{ carrier: 'renfe', state: 'ok', ms: 5, found: 0 }],
    complete: true,
    ms: 7,
  };
  const seen = { quick: 0, read: 0, sealed: 0, asked: [] as unknown[], keys: [] as unknown[] };
  const done = { type: 'search-done', found: 0, pages: document.pages } as SearchEvent;
  const reader = createSearchReader({
    carriers: ASKED,
    hubs: [],
    pageTokens: tokens,
    now: () => Date.parse('2026-11-20T12:00Z'),
    stationTexts: async () => ({ find: () => ({ kind: 'unknown', nearest: [] }) }),
  });
  const dependencies: SearchDependencies = {
    answers: {
      async document(question, { key, deadlineMs }) {
        seen.asked.push({ question, deadlineMs });
        seen.keys.push(key);
        return document;
      },
      async *events(question, { key, deadlineMs }) {
        seen.asked.push({ question, deadlineMs });
        seen.keys.push(key);
        yield done;
      },
      roundTrip: () => Promise.reject(new Error('no test asks for both ways')),
    },
    reader: {
      read(parameters) {
        seen.read += 1;
        return reader.read(parameters);
      },
      readCalendar: reader.readCalendar,
      readQuick(parameters) {
        seen.quick += 1;
        return reader.readQuick(parameters);
      },
    },
    pageTokens: {
      sealAll(pages) {
        seen.sealed += 1;
        return tokens.sealAll(pages);
      },
    },
    bodies: createBodySender(),
    cacheHeadersOf: (_, isLasting) => ({ 'cache-control': isLasting ? 'max-age=1' : 'no-store' }),
    isShared,
    rates: () => undefined,
    leftMs: () => 1234,
  };
  return { seen, dependencies, sealed: { later: tokens.seal(PAGE) } };
}

test('a search is read once and has one key, for its admission, the answers and whoever joins', async () => {
  const { seen, dependencies } = searchDependencies();
  const { app, admitted } = await served(searchRoute, dependencies);
  const answer = await app.inject({ url: TARGET, headers: { accept: 'application/json' } });
  expect(answer.statusCode).toBe(200);
  expect([seen.quick, seen.read]).toEqual([1, 0]);
  expect(seen.asked).toMatchObject([
    { question: { query: { passengers: 2 }, order: 'departure' }, deadlineMs: 1234 },
  ]);
  const [{ question }] = seen.asked as [{ question: never }];
  expect(seen.keys).toEqual([kinds.document.keyOf(question)]);
  expect(admitted).toEqual(seen.keys);
  expect(answer.headers['server-timing']).toContain('renfe;dur=5');
});

test('a stream has the same key, and joins streams alone', async () => {
  const { seen, dependencies, sealed } = searchDependencies();
  const { app, admitted } = await served(searchRoute, dependencies);
  const headers = { accept: 'application/x-ndjson' };
  const { body } = await app.inject({ url: TARGET, headers });
  expect(JSON.parse(body)).toEqual({ type: 'search-done', found: 0, pages: sealed });
  expect([seen.quick, seen.read]).toEqual([1, 0]);
  expect(admitted).toEqual(seen.keys.map((key) => eventsKey(String(key))));
});

test('a document and its pages are sealed once for all clients that get it', async () => {
  const { seen, dependencies, sealed } = searchDependencies();
  const { app } = await served(searchRoute, dependencies);
  const headers = { accept: 'application/json' };
  const bodies = new Set<string>();
  for (let index = 0; index < 3; index++) {
    bodies.add((await app.inject({ url: TARGET, headers })).body);
  }
  expect([...bodies].map((body) => JSON.parse(body))).toEqual([
    { journeys: [], ms: 7, pages: sealed },
  ]);
  expect(seen.sealed).toBe(1);
});

test('the last event of a stream is sealed once for all clients that follow it', async () => {
  const { seen, dependencies, sealed } = searchDependencies();
  const { app } = await served(searchRoute, dependencies);
  const headers = { accept: 'application/x-ndjson' };
  const follow = async (more = '') =>
    JSON.parse((await app.inject({ url: `${TARGET}${more}`, headers })).body);
  expect(await follow()).toEqual({ type: 'search-done', found: 0, pages: sealed });
  expect(await follow()).toEqual({ type: 'search-done', found: 0, pages: sealed });
  expect(seen.sealed).toBe(1);
  expect(await follow('&facets=1')).toMatchObject({ facets: { carrier: [] }, pages: sealed });
});

test.each([
  ['&date=2026-12-01', 200, [1, 0]],
  ['&origin=Essen', 400, [1, 0]],
  ['&colour=red', 400, [1, 0]],
  ['&order=beauty', 400, [1, 0]],
  ['&passengers=3', 400, [1, 0]],
  ['&carriers=db', 400, [1, 1]],
  ['&via=Essen', 400, [1, 1]],
] as const)(
  'a search with %s is %i, read [quickly, with all stations] %j times',
  async (more, status, times) => {
    const { seen, dependencies } = searchDependencies();
    const { app, admitted } = await served(searchRoute, dependencies);
    const { statusCode } = await app.inject({ url: `${TARGET}${more}` });
    expect([statusCode, [seen.quick, seen.read]]).toEqual([status, times]);
    expect(typeof admitted[0]).toBe(status === 200 ? 'string' : 'undefined');
  },
);

test('without sharing a request has no key, and its search is read once', async () => {
  const { seen, dependencies } = searchDependencies({ isShared: false });
  const { app, admitted } = await served(searchRoute, dependencies);
  expect((await app.inject({ url: TARGET })).statusCode).toBe(200);
  expect([seen.quick, seen.read, ...seen.keys, ...admitted]).toEqual([0, 1, undefined, undefined]);
});

function wormsOf(worms: WormsDependencies['answers']['worms'], isShared = true) {
  return served(wormsRoute, { answers: { worms }, isShared, leftMs: () => 99 });
}

test('worms are asked by their class, with what is left of the time', async () => {
  const asked: unknown[] = [];
  const { app, admitted } = await wormsOf(async (wormClass, { deadlineMs }) => {
    asked.push([wormClass, deadlineMs]);
    return { body: Buffer.from('[]'), ms: 3 };
  });
  const { statusCode, body, headers } = await app.inject('/api/v1/worms/%75tilize');
  expect([statusCode, body, headers['server-timing']]).toEqual([200, '[]', 'worms;dur=3']);
  expect(asked).toEqual([['utilize', 99]]);
  expect(admitted).toEqual([kinds.worms.keyOf('utilize')]);
});

test.each([
  ['ERR_DATABASE_TIMEOUT', 504],
  ['ERR_DATABASE_UNAVAILABLE', 502],
  ['ERR_DATABASE_BUSY', 503],
] as const)('a store that fails with %s is a %i', async (code, status) => {
  const { app, admitted } = await wormsOf(
    () => Promise.reject(new WormError(code, 'Cannot find worms')),
    false,
  );
  const { statusCode, body } = await app.inject('/api/v1/worms/utilize');
  expect([statusCode, JSON.parse(body).code]).toEqual([status, code]);
  expect(admitted).toEqual([undefined]);
});

test('stations open their book for a text alone', async () => {
  let opened = 0;
  const { app } = await served(stationRoutes, {
    bodies: createBodySender(),
    stationBook: async () => {
      opened += 1;
      throw new Error('no book');
    },
    stationTexts: () => Promise.reject(new Error('no book')),
  });
  const listed = await app.inject('/stations');
  expect([listed.statusCode, opened]).toEqual([200, 0]);
  expect(listed.json().stations.length).toBeGreaterThan(10);
  expect((await app.inject('/stations?text=essen')).statusCode).toBe(500);
  expect(opened).toBe(1);
});
