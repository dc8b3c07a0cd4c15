import {
  type Carrier,
  CarrierError,
  createScatter,
  createSearch,
  type RunCarrier,
  type SourceContext,
  type SourceFacts,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type SourceNote, withFacts } from '../src/scatter/source-note.ts';
import { barcelona, madrid, NOW, query, train } from './trains.ts';

useFakeClock(NOW);

const renfe: Carrier = {
  id: 'renfe',
  name: 'Renfe',
  request: async () => undefined,
  normalise: () => ({ journeys: [train()] }),
};

const ends: readonly (readonly [state: string, run: RunCarrier])[] = [
  ['ok', async () => ({ journeys: [train()] })],
  ['empty', async () => ({ journeys: [] })],
  [
    'circuit-open',
    async () => {
      throw new CarrierError('CIRCUIT_OPEN', 'Paused', { retryAfterMs: 900 });
    },
  ],
  ['timeout', () => new Promise(() => {})],
];

test.each(ends)('facts that run() noted are in a status that ends as `%s`', async (state, run) => {
  const search = createSearch({
    carriers: [renfe],
    deadlineMs: 50,
    run(carrier, one, context) {
      context.note({ attempts: 3, hedged: true });
      return run(carrier, one, context);
    },
  });
  const found = search.search(query);
  await vi.advanceTimersByTimeAsync(50);
  expect((await found).carriers).toMatchObject([{ state, attempts: 3, hedged: true }]);
});

test('a status in a stream has the facts, and each source its own', async () => {
  const scatter = createScatter({
    sources: {
      a: async (_: string, { note }) => note({ attempts: 2 }),
      b: async (_: string, { note }) => note({ cache: 'stale', ageMs: 70_000 }),
      c: async () => {},
    },
  });
  const statuses: unknown[] = [];
  for await (const event of scatter.stream('x')) {
    if (event.type === 'source-status') statuses.push(event.status);
  }
  expect(statuses).toEqual([
    { source: 'a', state: 'ok', ms: 0, attempts: 2 },
    { source: 'b', state: 'ok', ms: 0, cache: 'stale', ageMs: 70_000 },
    { source: 'c', state: 'ok', ms: 0 },
  ]);
});

test('facts that are noted after the source settled change nothing', async () => {
  let late: SourceContext['note'] = () => {};
  const scatter = createScatter({
    sources: {
      async a(_: string, { note }) {
        late = note;
      },
    },
  });
  const { sources } = await scatter.ask('x');
  late({ attempts: 9 });
  expect(sources).toEqual([{ source: 'a', state: 'ok', ms: 0 }]);
});

test('facts of the parts of a group are joined', async () => {
  const member = { ...madrid, id: 'x:far', name: 'Far', codes: { renfe: '17001' } };
  const city = { ...madrid, id: 'city:x', name: 'City', codes: {}, members: [madrid, member] };
  const search = createSearch({
    carriers: [renfe],
    async run(_carrier, { origin }, { note }) {
      note(
        origin.id === member.id
          ? { attempts: 2, ageMs: 10, cache: 'stale' }
          : { ageMs: 400, cache: 'fresh' },
      );
      return { journeys: [] };
    },
  });
  const { carriers } = await search.search({ ...query, origin: city, destination: barcelona });
  expect(carriers).toMatchObject([{ attempts: 2, ageMs: 400, cache: 'stale' }]);
});

test('the order in which facts are noted changes nothing, and nothing to report is absent', () => {
  const someFacts: fc.Arbitrary<SourceFacts> = fc.record({
    attempts: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    hedged: fc.option(fc.boolean(), { nil: undefined }),
    cache: fc.option(fc.constantFrom('fresh', 'stale'), { nil: undefined }),
    ageMs: fc.option(fc.nat(600_000), { nil: undefined }),
  });
  const noted = (all: readonly SourceFacts[]) =>
    all.reduce<SourceNote | undefined>(withFacts, undefined) ?? {};
  fc.assert(
    fc.property(fc.array(someFacts, { maxLength: 6 }), (all) => {
      const note = noted(all);
      expect(noted(all.toReversed())).toEqual(note);
      const attempts = Math.max(1, ...all.map((facts) => facts.attempts ?? 1));
      const ages = all.flatMap(({ ageMs }) => ageMs ?? []);
      const caches = all.map(({ cache }) => cache);
      expect(note).toStrictEqual({
        ...(attempts > 1 && { attempts }),
        ...(all.some(({ hedged }) => hedged) && { hedged: true }),
        ...(caches.includes('stale')
          ? { cache: 'stale' }
          : caches.includes('fresh') && { cache: 'fresh' }),
        ...(ages.length > 0 && { ageMs: Math.max(...ages) }),
      });
    }),
  );
});

test('CarrierError.from() reads the milliseconds to wait of data', () => {
  const refused = Object.assign(new Error('Paused'), {
    code: 'ERR_CIRCUIT_OPEN',
    data: { retryAfterMs: 70 },
  });
  const { code, retryAfterMs, retryable } = CarrierError.from(refused);
  expect([code, retryAfterMs, retryable]).toEqual(['CIRCUIT_OPEN', 70, true]);
  const hostile = Object.defineProperty(new Error('no'), 'data', {
    get() {
      throw new Error('never');
    },
  });
  expect(CarrierError.from(hostile).retryAfterMs).toBeUndefined();
});
