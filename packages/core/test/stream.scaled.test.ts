import {
  type CarrierState,
  createSearch,
  JOURNEY_ORDERS,
  type Journey,
  type SearchEvent,
  sortJourneys,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { runs } from './scale.ts';
import { carrier, heldCarrier, NOW, offer, query, train } from './trains.ts';

useFakeClock(NOW);

async function read(events: AsyncIterable<SearchEvent>): Promise<SearchEvent[]> {
  const seen: SearchEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

function apply(events: readonly SearchEvent[]): Journey[] {
  const view = new Map<string, Journey>();
  for (const event of events) {
    if (event.type !== 'journeys-upsert') continue;
    for (const id of event.removed) view.delete(id);
    for (const journey of event.journeys) view.set(journey.id, journey);
  }
  return [...view.values()];
}

const first = train({ number: '3063', offers: [offer('renfe', 5000)] });
const same = train({ number: '3063', source: 'agency', offers: [offer('agency', 4000)] });

test('stream() yields started, each carrier with its journeys, then done', async () => {
  const renfe = carrier('renfe', async () => [first]);
  const silent = carrier('silent', async () => []);
  const agency = carrier('agency', async () => [same]);
  const events = await read(createSearch({ carriers: [renfe, silent, agency] }).stream(query));
  const status = (id: string, found: number) => ({
    carrier: id,
    state: found > 0 ? 'ok' : 'empty',
    ms: 0,
    found,
  });
  const running = { state: 'running', ms: 0, found: 0 };
  expect(events).toMatchObject([
    {
      type: 'search-started',
      query: { ...query, passengers: [{}] },
      deadline: NOW + 2000,
      carriers: [
        { carrier: 'renfe', ...running },
        { carrier: 'silent', ...running },
        { carrier: 'agency', ...running },
      ],
    },
    { type: 'carrier-status', status: status('renfe', 1) },
    { type: 'journeys-upsert', seq: 1, journeys: [first], removed: [] },
    { type: 'carrier-status', status: status('silent', 0) },
    { type: 'carrier-status', status: status('agency', 1) },
    {
      type: 'journeys-upsert',
      seq: 2,
      journeys: [{ id: first.id, sources: ['agency', 'renfe'] }],
      removed: [],
    },
    {
      type: 'search-done',
      carriers: [status('renfe', 1), status('silent', 0), status('agency', 1)],
      complete: true,
      found: 1,
      ms: 0,
    },
  ]);
  expect(structuredClone(events)).toEqual(events);
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
});

test('stream() removes a journey that turns out to be another one', async () => {
  const nameless = heldCarrier('nameless');
  const renfe = heldCarrier('renfe');
  const search = createSearch({ carriers: [nameless.carrier, renfe.carrier] });
  const reading = read(search.stream(query));
  const loose = train({ source: 'nameless', offers: [offer('nameless', 1)] });
  nameless.answer([loose]);
  await vi.advanceTimersByTimeAsync(1);
  renfe.answer([first]);
  const upserts = (await reading).filter(({ type }) => type === 'journeys-upsert');
  expect(upserts).toMatchObject([
    { seq: 1, journeys: [loose], removed: [] },
    { seq: 2, journeys: [{ id: first.id, sources: ['nameless', 'renfe'] }], removed: [loose.id] },
  ]);
});

test('stream() yields the journeys of one carrier while another one hangs', async () => {
  const hung = heldCarrier('hung');
  const renfe = heldCarrier('renfe');
  const search = createSearch({ carriers: [hung.carrier, renfe.carrier] });
  const events = search.stream(query);
  expect((await events.next()).value).toMatchObject({ type: 'search-started' });
  renfe.answer([first]);
  expect((await events.next()).value).toMatchObject({
    status: { carrier: 'renfe', state: 'ok' },
  });
  expect((await events.next()).value).toMatchObject({ seq: 1, journeys: [first] });
  const last = Promise.all([events.next(), events.next(), events.next()]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await last).toMatchObject([
    { value: { status: { carrier: 'hung', state: 'timeout', ms: 2000 } } },
    { value: { type: 'search-done', complete: false, found: 1 } },
    { done: true },
  ]);
});

test('stream() aborts the rest when the consumer breaks out', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const caller = new AbortController();
  const removed = vi.spyOn(caller.signal, 'removeEventListener');
  for await (const event of search.stream(query, { signal: caller.signal })) {
    expect(event.type).toBe('search-started');
    break;
  }
  expect(held.signals[0]).toMatchObject({ aborted: true, reason: { code: 'ABORTED' } });
  expect(removed).toHaveBeenCalledTimes(1);
  expect(search.stats()).toMatchObject({ running: 0, aborted: 1 });
  await search.close();
});

test('stream() aborts the rest at once when the consumer leaves while next() is pending', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const events = search.stream(query);
  await events.next();
  const pending = events.next();
  const left = events.return?.();
  expect(held.signals[0]?.aborted).toBe(true);
  expect(await Promise.all([pending, left])).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
});

test('stream() rejects next() with the reason of its signal', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const caller = new AbortController();
  const events = search.stream(query, { signal: caller.signal });
  await events.next();
  const pending = events.next();
  const reason = new Error('the user left');
  caller.abort(reason);
  await expect(pending).rejects.toBe(reason);
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(held.signals[0]?.reason).toBe(reason);
  expect(() => search.stream(query, { signal: caller.signal })).toThrow(reason);
});

test('stream() rejects next() when a carrier aborts it in its first step', async () => {
  const caller = new AbortController();
  const rude = carrier('rude', () => {
    caller.abort('rude');
    return new Promise(() => {});
  });
  const events = createSearch({ carriers: [rude] }).stream(query, { signal: caller.signal });
  await expect(events.next()).rejects.toBe('rude');
});

const journeys = fc
  .record({
    source: fc.constantFrom('a', 'b', 'c'),
    minute: fc.integer({ min: 10, max: 30 }),
    number: fc.constantFrom('3063', '3065', undefined),
    amount: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ source, minute, number, amount }) =>
    train({
      source,
      at: `2026-12-01T06:${minute}`,
      until: '2026-12-01T09:00',
      ...(number === undefined ? {} : { number }),
      offers: [offer(source, amount)],
    }),
  );
const fates = fc.record({
  afterMs: fc.integer({ min: 0, max: 120 }),
  answer: fc.option(fc.array(journeys, { maxLength: 4 }), { nil: undefined }),
});

test('stream() adds up to search(), whatever the carriers answer and when', async () => {
  const property = fc.asyncProperty(
    fc.array(fates, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...JOURNEY_ORDERS),
    async (carriers, order) => {
      const search = createSearch({
        deadlineMs: 100,
        order,
        carriers: carriers.map(({ afterMs, answer }, index) =>
          carrier(`c${index}`, () => {
            return new Promise((resolve, reject) => {
              setTimeout(() => (answer ? resolve(answer) : reject(new Error('no'))), afterMs);
            });
          }),
        ),
      });
      const both = Promise.all([search.search(query), read(search.stream(query))]);
      await vi.advanceTimersByTimeAsync(130);
      const [result, events] = await both;
      expect(sortJourneys(apply(events), order)).toEqual(result.journeys);
      const { journeys: found, query: _, places: __, operators: ___, ...rest } = result;
      expect(events.at(-1)).toEqual({ type: 'search-done', found: found.length, ...rest });
      const settled = events.flatMap((event) =>
        event.type === 'carrier-status' ? [event.status] : [],
      );
      expect([...settled].sort((a, b) => (a.carrier < b.carrier ? -1 : 1))).toEqual(
        result.carriers,
      );
      const late: CarrierState[] = result.carriers.map(({ state }) => state);
      expect(
        late.every(
          (state, index) => (state === 'timeout') === (carriers[index]?.afterMs ?? 0) >= 100,
        ),
      ).toBe(true);
      const seqs = events.flatMap((event) => (event.type === 'journeys-upsert' ? [event.seq] : []));
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    },
  );
  await fc.assert(property, { numRuns: runs(500) });
});
