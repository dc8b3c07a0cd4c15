import {
  type Carrier,
  type CarrierQuery,
  createSearch,
  type Journey,
  type Leg,
  lowestTotals,
  type SearchEvent,
  type SearchOptions,
  type SearchQuery,
  type SplitOptions,
  type Station,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test, vi } from 'vitest';
import { far, hub, type JourneyParts, journey, north, south } from './split-journeys.ts';
import { carrier, heldCarrier, madrid, NOW, offer } from './trains.ts';

useFakeClock(NOW);

const query: SearchQuery = { origin: madrid, destination: far, date: '2026-12-01' };
const hubs = [{ at: north, minMinutes: 45 }];

const priced = (source: string, amount: number, parts: Partial<JourneyParts>): Journey =>
  journey({ source, from: 480, until: 1080, offers: [offer(source, amount)], ...parts });

/** A carrier of some journeys, each answered to the question that it fits. It keeps its questions. */
function answering(id: string, journeys: readonly Journey[]) {
  const asked: CarrierQuery[] = [];
  const answers = carrier(id, async (question) => {
    asked.push(question);
    return journeys.filter(
      ({ legs }) =>
        legs[0]?.origin === question.origin.id &&
        legs.at(-1)?.destination === question.destination.id,
    );
  });
  return { asked, carrier: { ...answers, capabilities: { stationSystem: 'all' } } };
}

const through = priced('through', 9000, {});
const first = priced('renfe', 2000, { destination: north.id, until: 660 });
const second = priced('sncf', 3000, { origin: north.id, from: 720, until: 1100 });
const isSplit = ({ legs }: { legs: readonly Leg[] }): boolean =>
  legs.some((leg) => leg.kind === 'transfer' && leg.selfTransfer);

function searchOver(...journeys: readonly Journey[]) {
  const carriers = [...new Set(journeys.flatMap(({ sources }) => sources))].map((id) =>
    answering(
      id,
      journeys.filter(({ sources }) => sources.includes(id)),
    ),
  );
  return {
    search: createSearch({ carriers: carriers.map((each) => each.carrier), deadlineMs: 700 }),
    asked: carriers.flatMap(({ asked }) => asked),
    carriers,
  };
}

test('split() gives through journeys and cheaper ones over a hub, in one order, with all their places', async () => {
  const { search, carriers } = searchOver(through, first, second);
  const result = await search.split(query, { hubs, order: 'price' });
  expect(result.journeys.map(isSplit)).toEqual([true, false]);
  expect(result).toMatchObject({ complete: true, query: { passengers: [{}] } });
  expect(Object.keys(result.places).sort()).toEqual([far.id, north.id, madrid.id].sort());
  expect(result.hubs).toEqual([
    {
      at: north.id,
      minMinutes: 45,
      maxMinutes: 240,
      found: 1,
      to: [
        { carrier: 'through', state: 'empty', ms: 0, found: 0 },
        { carrier: 'renfe', state: 'ok', ms: 0, found: 1 },
        { carrier: 'sncf', state: 'empty', ms: 0, found: 0 },
      ],
      from: [
        { carrier: 'through', state: 'empty', ms: 0, found: 0 },
        { carrier: 'renfe', state: 'empty', ms: 0, found: 0 },
        { carrier: 'sncf', state: 'ok', ms: 0, found: 1 },
      ],
    },
  ]);
  expect(carriers.map(({ asked }) => asked.length)).toEqual([3, 3, 3]);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  const plain = await search.search(query);
  expect(plain.journeys.some(isSplit)).toBe(false);
});

test.each<[what: string, journeys: readonly Journey[], kept: boolean]>([
  ['as expensive and as long', [priced('through', 5000, { from: 480, until: 1100 })], false],
  ['cheaper', [priced('through', 5001, { from: 480, until: 1000 })], true],
  ['faster', [priced('through', 1000, { from: 480, until: 1101 })], true],
  [
    'cheaper than one, and not than another',
    [priced('through', 9000, {}), priced('through', 4000, { from: 500 })],
    false,
  ],
  ['beside one that is sold out', [priced('through', 0, { offers: [] })], true],
  [
    'beside one of another currency',
    [
      priced('through', 0, {
        offers: [offer('through', 1, { total: { amount: 9000, currency: 'CHF' } })],
      }),
    ],
    false,
  ],
  [
    'beside one whose price is not known',
    [priced('through', 0, { offers: [], priced: false })],
    false,
  ],
  ['beside none', [], true],
])('split() decides on a journey that is %s', async (_what, others, kept) => {
  const { search } = searchOver(...others, first, second);
  const { journeys } = await search.split(query, { hubs });
  expect(journeys.some(isSplit)).toBe(kept);
  expect(journeys).toHaveLength(others.length + Number(kept));
});

test('split() compares halves of two currencies with through journeys by rates', async () => {
  const swiss = priced('sbb', 0, {
    ...{ origin: north.id, from: 720, until: 1100 },
    offers: [offer('sbb', 3000, { total: { amount: 3000, currency: 'CHF' } })],
  });
  const { carriers } = searchOver(through, first, swiss);
  const rates = { asOf: '2026-11-30', source: 'test', base: 'EUR', perBase: { CHF: '0.5' } };
  const asked = carriers.map((each) => each.carrier);
  const find = async (options: Partial<SearchOptions>) =>
    (await createSearch({ carriers: asked, ...options }).split(query, { hubs })).journeys;
  expect((await find({})).filter(isSplit)).toEqual([]);
  const [found] = (await find({ rates })).filter(isSplit);
  expect(found && lowestTotals(found)).toEqual([{ amount: 8000, currency: 'EUR' }]);
});

test('split() gives no journey that another one over any hub dominates', async () => {
  const worse = [
    priced('db', 2500, { destination: south.id, until: 670 }),
    priced('ic', 3000, { origin: south.id, from: 730, until: 1101 }),
  ];
  const { search } = searchOver(first, second, ...worse);
  const both = [...hubs, { at: south, minMinutes: 30 }];
  const result = await search.split(query, { hubs: both });
  expect(result.journeys.map(({ sources }) => sources)).toEqual([['renfe', 'sncf']]);
  expect(result.hubs.map(({ found }) => found)).toEqual([1, 0]);
});

test('split() gives a pair once where a city and one of its stations are hubs', async () => {
  const { search } = searchOver(first, second);
  const both = [{ at: hub, minMinutes: 45 }, ...hubs];
  const result = await search.split(query, { hubs: both });
  expect(result.journeys).toHaveLength(1);
  expect(result.hubs.map(({ found }) => found)).toEqual([1, 0]);
});

test('split() asks for each half what the query means there', async () => {
  const asked = async (
    fields: Partial<SearchQuery>,
    at: Station = north,
  ): Promise<Record<string, Partial<CarrierQuery>>> => {
    const questions: Record<string, CarrierQuery> = {};
    const spy: Carrier = {
      ...carrier('spy', async (question) => {
        questions[`${question.origin.id} ${question.destination.id}`] = question;
        return [];
      }),
      capabilities: { window: 'page', native: ['time', 'arriveBy', 'maxTransfers', 'travelClass'] },
    };
    await createSearch({ carriers: [spy] }).split(
      { ...query, ...fields },
      { hubs: [{ at, minMinutes: 45 }] },
    );
    return questions;
  };
  const to = `${madrid.id} ${north.id}`;
  const from = `${north.id} ${far.id}`;
  const timed = await asked({
    time: '23:30',
    travelClass: 'first',
    maxTransfers: 3,
    passengers: 2,
  });
  const same = { travelClass: 'first', maxTransfers: 2, passengers: [{}, {}] };
  expect(timed[to]).toMatchObject({ ...same, date: '2026-12-01', time: '23:30' });
  expect(timed[from]).toMatchObject({ ...same, date: '2026-12-02', time: '00:15' });
  const arriving = await asked({ time: '20:00', arriveBy: true });
  expect(arriving[to]).not.toHaveProperty('time');
  expect(arriving[to]).not.toHaveProperty('arriveBy');
  expect(arriving[from]).toMatchObject({ time: '20:00', arriveBy: true });
  // Late today: whoever leaves now is at the hub tomorrow.
  vi.setSystemTime(NOW + 13.5 * 3_600_000);
  expect((await asked({ date: '2026-11-30' }))[from]).toMatchObject({ date: '2026-12-01' });
  // Behind by nine hours, where the day before is not over.
  const west = { ...north, zone: 'America/Los_Angeles' };
  expect((await asked({ time: '00:10' }, west))[from]).not.toHaveProperty('time');
  expect((await asked({ time: '00:10' }, west))[from]).toMatchObject({ date: '2026-12-01' });
});

test('split() asks for no half without changes, at an end of the query, or on a day that is not on sale', async () => {
  const count = async (fields: Partial<SearchQuery>, options: SplitOptions = { hubs }) => {
    const { search, carriers } = searchOver(through);
    const { hubs: found } = await search.split({ ...query, ...fields }, options);
    return [carriers[0]?.asked.length, found.length];
  };
  expect(await count({})).toEqual([3, 1]);
  expect(await count({}, { hubs: [] })).toEqual([1, 0]);
  expect(await count({ maxTransfers: 0 })).toEqual([1, 0]);
  expect(await count({ destination: hub })).toEqual([2, 0]);
  expect(await count({ origin: north, destination: far })).toEqual([1, 0]);
  expect(await count({ date: '2027-12-01', time: '23:59' })).toEqual([1, 0]);
});

test('split() keeps connections within `maxTransfers` of the whole', async () => {
  const slow = priced('renfe', 500, { destination: north.id, until: 660, changes: 2 });
  const { search } = searchOver(slow, second);
  const transfers = async (maxTransfers: number) =>
    (await search.split({ ...query, maxTransfers }, { hubs })).journeys.map((one) => one.transfers);
  expect(await transfers(3)).toEqual([3]);
  expect(await transfers(2)).toEqual([]);
  expect(await transfers(8)).toEqual([3]);
});

test('split() ends every half at one deadline, and keeps what was in time', async () => {
  const held = heldCarrier('held');
  const { carriers } = searchOver(through, first, second);
  const search = createSearch({
    carriers: [held.carrier, ...carriers.map((each) => each.carrier)],
    deadlineMs: 700,
  });
  const pending = search.split(query, { hubs });
  expect(held.signals).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(700);
  const result = await pending;
  expect(result).toMatchObject({ complete: false, ms: 700 });
  expect(result.journeys.map(isSplit).sort()).toEqual([false, true]);
  for (const list of [result.carriers, result.hubs[0]?.to, result.hubs[0]?.from]) {
    expect(list?.[0]).toMatchObject({ carrier: 'held', state: 'timeout' });
  }
  expect(held.signals.every(({ aborted }) => aborted)).toBe(true);
  expect(search.stats()).toMatchObject({ running: 0, partial: 3 });
  await search.close();
});

test('split() rejects at once when it is aborted, and aborts every half', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const caller = new AbortController();
  const pending = search.split(query, { hubs, signal: caller.signal });
  const reason = new Error('the user left');
  caller.abort(reason);
  await expect(pending).rejects.toBe(reason);
  expect(held.signals).toHaveLength(3);
  for (const signal of held.signals) expect(signal).toMatchObject({ aborted: true, reason });
  expect(search.stats()).toMatchObject({ running: 0, aborted: 3 });
  await search.close();
  await expect(search.split(query, { hubs })).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});

/** Applies the changes of a stream. */
async function applied(events: AsyncIterable<SearchEvent>) {
  const journeys = new Map<string, Journey>();
  const types: string[] = [];
  let places = {};
  let done: SearchEvent | undefined;
  for await (const event of events) {
    types.push(event.type);
    done = event;
    if (event.type !== 'journeys-upsert') continue;
    for (const id of event.removed) journeys.delete(id);
    for (const each of event.journeys) journeys.set(each.id, each);
    places = { ...places, ...event.places };
  }
  return { journeys: [...journeys.values()], places, types, done };
}

test('splitStream() gives through journeys as they come, and those over hubs before it is done', async () => {
  const { search } = searchOver(through, first, second);
  const streamed = await applied(search.splitStream(query, { hubs }));
  const { journeys, places, hubs: asked, carriers } = await search.split(query, { hubs });
  expect(streamed.types).toEqual([
    'search-started',
    'carrier-status',
    'journeys-upsert',
    'carrier-status',
    'carrier-status',
    'journeys-upsert',
    'search-done',
  ]);
  expect(streamed.journeys).toEqual(expect.arrayContaining([...journeys]));
  expect(streamed.journeys).toHaveLength(2);
  expect(streamed.places).toEqual(places);
  expect(streamed.done).toEqual({
    ...{ type: 'search-done', carriers, complete: true, found: 2, ms: 0, hubs: asked },
    pages: expect.anything(),
  });
  const nothing = await applied(search.splitStream({ ...query, maxTransfers: 0 }, { hubs }));
  expect(nothing.done).toMatchObject({ type: 'search-done', hubs: [], found: 1 });
});

test('splitStream() waits for halves that are late until the deadline, and is not complete then', async () => {
  const { carriers } = searchOver(through, first, second);
  const isHalf = ({ origin, destination }: CarrierQuery): boolean =>
    origin.id === north.id || destination.id === north.id;
  const late = carrier('late', async (question) =>
    isHalf(question) ? new Promise<never>(() => {}) : [],
  );
  const search = createSearch({
    carriers: [late, ...carriers.map((each) => each.carrier)],
    deadlineMs: 700,
  });
  const streamed = applied(search.splitStream(query, { hubs }));
  await vi.advanceTimersByTimeAsync(700);
  expect((await streamed).done).toMatchObject({ complete: false, found: 2, ms: 700 });
  expect((await streamed).done).toMatchObject({
    hubs: [{ to: [{ state: 'timeout' }, {}, {}, {}] }],
  });
});

test('splitStream() aborts every half when its loop is left, or its signal aborts', async () => {
  const held = heldCarrier('held');
  const search = createSearch({ carriers: [held.carrier] });
  const events = search.splitStream(query, { hubs });
  await events.next();
  const pending = events.next();
  await events.return?.();
  await expect(pending).resolves.toMatchObject({ done: true });
  expect(held.signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  const caller = new AbortController();
  const aborted = search.splitStream(query, { hubs, signal: caller.signal });
  await aborted.next();
  const reason = new Error('the user left');
  caller.abort(reason);
  await expect(aborted.next()).rejects.toBe(reason);
  await vi.advanceTimersByTimeAsync(0);
  expect(search.stats()).toMatchObject({ running: 0, aborted: 6 });
  await search.close();
  expect(() => search.splitStream(query, { hubs })).toThrow(
    expect.objectContaining({ code: 'ERR_CLOSED' }),
  );
});

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [undefined, TypeError, '`hubs` must be a list of at most 3 hubs, got undefined'],
  [
    { hubs: Array(4).fill(hubs[0]) },
    TypeError,
    '`hubs` must be a list of at most 3 hubs, got [object Object],[object Object],[object Object],[object O...',
  ],
  [{ hubs: [null] }, TypeError, '`hubs[0]` must be an object, got null'],
  [
    { hubs: [{ at: north }] },
    TypeError,
    '`hubs[0].minMinutes` must be an integer of 0 to 1440, got undefined',
  ],
  [
    { hubs: [{ ...hubs[0], maxMinutes: 44 }] },
    RangeError,
    '`hubs[0].maxMinutes` must be `minMinutes` (45) or more, got 44',
  ],
  [{ hubs: [hubs[0], hubs[0]] }, TypeError, '`hubs` has `h:north` twice'],
  [{ hubs, deadline: 1 }, TypeError, 'unknown option `deadline`; did you mean `deadlineMs`?'],
])('split(query, %o) rejects', async (options, errorClass, message) => {
  const { search, carriers } = searchOver(through);
  const error = new errorClass(`Cannot search: ${message}`);
  await expect(search.split(query, options as never)).rejects.toThrow(error);
  expect(() => search.splitStream(query, options as never)).toThrow(error);
  expect(carriers[0]?.asked).toEqual([]);
});

test.each<[fields: object, parameter: string]>([
  [{ origin: null }, 'origin'],
  [{ date: 'today' }, 'date'],
  [{ via: north }, 'via'],
  [{ page: {} }, 'page'],
])('split() refuses %o, and asks nobody', async (fields, parameter) => {
  const { search, carriers } = searchOver(through);
  await expect(search.split({ ...query, ...fields } as never, { hubs })).rejects.toMatchObject({
    code: 'ERR_BAD_QUERY',
    data: { parameter },
  });
  expect(carriers[0]?.asked).toEqual([]);
  expect(search.stats()).toMatchObject({ running: 0, complete: 0, aborted: 0 });
});
