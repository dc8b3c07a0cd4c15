import {
  type Carrier,
  type CarrierAnswer,
  type CarrierCapabilities,
  CarrierError,
  type CarrierQuery,
  cheapestTotal,
  createJourney,
  createLocalClock,
  createSearch,
  type SearchQuery,
  type Station,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { barcelona, madrid, NOW, offer, query, train, withoutCo2 } from './trains.ts';

const clock = createLocalClock();
const zaragoza: Station = { ...madrid, id: 'uic:7104040', name: 'Zaragoza' };
const at = (time: string) => clock.fromLocal(`2026-12-01T${time}`, 'Europe/Madrid');
const ride = (number: string, origin: Station, destination: Station, from: string, until: string) =>
  ({
    kind: 'ride',
    number,
    origin: origin.id,
    destination: destination.id,
    departure: at(from),
    arrival: at(until),
  }) as const;
const early = train({ number: '1', at: '2026-12-01T06:00', until: '2026-12-01T08:30' });
const noon = train({
  number: '2',
  at: '2026-12-01T12:00',
  until: '2026-12-01T14:30',
  offers: [
    offer('a', 1, { travelClass: 'second' }),
    offer('a', 2, { travelClass: 'first' }),
    offer('a', 3),
  ],
});
const change = createJourney({
  source: 'a',
  legs: [
    ride('3', madrid, zaragoza, '12:30', '14:00'),
    ride('4', zaragoza, barcelona, '14:30', '16:00'),
  ],
  offers: [],
});

/** A carrier that answers the same to every question, and remembers them. */
function carrierOf(capabilities?: CarrierCapabilities, answer: Partial<CarrierAnswer> = {}) {
  const questions: CarrierQuery[] = [];
  const carrier: Carrier = {
    id: 'a',
    name: 'A',
    ...(capabilities && { capabilities }),
    request: async (one) => questions.push(one),
    normalise: () => ({ journeys: [early, noon, change], ...answer }),
  };
  return { carrier, questions };
}

const numbersOf = async (carrier: Carrier, fields: Partial<SearchQuery>) => {
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  const { journeys } = await search.search({ ...query, ...fields });
  return journeys.map(({ legs }) => legs.map((leg) => leg.kind === 'ride' && leg.number).join('+'));
};
const every = ['time', 'arriveBy', 'via', 'maxTransfers', 'travelClass'] as const;
const bare = { origin: madrid, destination: barcelona, date: '2026-12-01', passengers: [{}] };

test.each<[fields: Partial<SearchQuery>, kept: readonly string[]]>([
  [{}, ['1', '2', '3+4']],
  [{ time: '06:00' }, ['1', '2', '3+4']],
  [{ time: '06:01' }, ['2', '3+4']],
  [{ time: '12:30' }, ['3+4']],
  [{ time: '14:30', arriveBy: true }, ['1', '2']],
  [{ time: '14:29', arriveBy: true }, ['1']],
  [{ time: '06:01', arriveBy: false }, ['2', '3+4']],
  [{ maxTransfers: 0 }, ['1', '2']],
  [{ maxTransfers: 1 }, ['1', '2', '3+4']],
  [{ via: zaragoza }, ['3+4']],
  [{ via: { ...zaragoza, id: 'x:elsewhere' } }, []],
  [{ via: zaragoza, time: '12:31' }, []],
])('what a carrier cannot answer itself is applied to its answer: %j', async (fields, kept) => {
  const { carrier, questions } = carrierOf();
  expect(await numbersOf(carrier, fields)).toEqual(kept);
  expect(questions).toEqual([bare]);
});

test('what a carrier answers itself is in its query, and its answer stays as it is', async () => {
  const { carrier, questions } = carrierOf({ window: 'page', native: every });
  const fields = {
    time: '23:00',
    arriveBy: true,
    via: zaragoza,
    maxTransfers: 0,
    travelClass: 'first',
  } as const;
  expect(await numbersOf(carrier, fields)).toEqual(['1', '2', '3+4']);
  expect(questions).toEqual([{ ...bare, ...fields }]);
  expect(await numbersOf(carrier, { time: '23:00' })).toEqual(['1', '2', '3+4']);
  expect(questions[1]).toEqual({ ...bare, time: '23:00' });
});

test('a carrier with pages that knows no arrival times is asked for the whole day', async () => {
  const { carrier, questions } = carrierOf({ window: 'page', native: ['time'] });
  expect(await numbersOf(carrier, { time: '08:30', arriveBy: true })).toEqual(['1']);
  expect(questions).toEqual([bare]);
});

test('the time of a query is read in the zone of its end, by instants', async () => {
  const london = { ...barcelona, zone: 'Europe/London' };
  const { carrier } = carrierOf();
  expect(await numbersOf(carrier, { destination: london, time: '13:30', arriveBy: true })).toEqual([
    '1',
    '2',
  ]);
  expect(await numbersOf(carrier, { destination: london, time: '13:29', arriveBy: true })).toEqual([
    '1',
  ]);
});

test('the time of a query is from door to door', async () => {
  const way = (from: Station, to: Station, minutes: number) =>
    ({ kind: 'transfer', origin: from.id, destination: to.id, minutes }) as const;
  const walked = createJourney({
    source: 'a',
    legs: [
      way(madrid, zaragoza, 10),
      ride('5', zaragoza, madrid, '08:00', '09:50'),
      way(madrid, barcelona, 15),
    ],
    offers: [],
  });
  const { carrier } = carrierOf({}, { journeys: [walked] });
  const isKept = async (fields: Partial<SearchQuery>) =>
    (await numbersOf(carrier, fields)).length === 1;
  expect(await isKept({ time: '07:51' })).toBe(false);
  expect(await isKept({ time: '07:50' })).toBe(true);
  expect(await isKept({ time: '10:04', arriveBy: true })).toBe(false);
  expect(await isKept({ time: '10:05', arriveBy: true })).toBe(true);
});

test('stops on the way come only where the query asks for them', async () => {
  const stops = [{ station: zaragoza.id, departure: at('07:15') }];
  const section = ride('6', madrid, barcelona, '06:00', '08:30');
  const calling = train({ number: '6', stops, sections: [{ ...section, stops }] });
  const { carrier, questions } = carrierOf({}, { journeys: [calling, early] });
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  const asked = await search.search({ ...query, stops: true });
  expect(asked.journeys.map(withoutCo2)).toContainEqual(calling);
  expect(Object.keys(asked.places)).toEqual([madrid.id, barcelona.id, zaragoza.id]);
  for (const stops of [false, undefined]) {
    const { journeys, places } = await search.search({ ...query, stops });
    expect(journeys.map(withoutCo2)).toContainEqual(train({ number: '6', sections: [section] }));
    expect(JSON.stringify(journeys)).not.toContain('stops');
    expect(Object.keys(places)).toEqual([madrid.id, barcelona.id]);
  }
  expect(questions).toEqual([{ ...bare, stops: true }, bare, bare]);
});

test('the number of travellers comes beside offers for some of them, and only there', async () => {
  const offers = [offer('a', 5, { passengers: [0] }), offer('a', 7, { passengers: [1] })];
  const partial = train({ number: '7', offers });
  const { carrier } = carrierOf({}, { journeys: [partial, noon] });
  const search = createSearch({ carriers: [carrier], now: () => NOW, order: 'price' });
  const { journeys } = await search.search({ ...query, passengers: 2 });
  expect(journeys.map(withoutCo2)).toEqual([noon, { ...partial, passengers: 2 }]);
  expect(journeys.map((journey) => cheapestTotal(journey)?.amount)).toEqual([1, 12]);
  const { carriers } = await search.search(query);
  expect(carriers[0]?.error?.message).toBe(
    'Carrier `a` gave a wrong answer: `offers.passengers` must be a list of passengers from 0 to 0, ascending, got 1',
  );
});

test('offers of another class are left out, offers of any class stay', async () => {
  const { carrier } = carrierOf();
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  const amounts = async (travelClass: 'first' | 'second') => {
    const { journeys } = await search.search({ ...query, travelClass });
    return journeys[1]?.offers.map(({ total }) => total.amount);
  };
  expect(await amounts('second')).toEqual([1, 3]);
  expect(await amounts('first')).toEqual([2, 3]);
});

test.each<[reads: CarrierCapabilities['passengers'], passengers: object[], ignored?: string[]]>([
  [undefined, [{}, {}]],
  [undefined, [{ age: 8 }], ['ages']],
  [undefined, [{ age: 8, cards: ['BC50'] }], ['ages', 'cards']],
  ['count', [{}, { cards: ['BC50'] }], ['cards']],
  ['ages', [{ age: 8 }]],
  ['ages', [{ age: 8, cards: ['BC50'] }], ['cards']],
  ['cards', [{ age: 8, cards: ['BC50'] }]],
  [undefined, [{ cards: [] }]],
])('a carrier that reads %s of %j says what it ignores', async (reads, passengers, ignored) => {
  const { carrier, questions } = carrierOf(reads && { passengers: reads });
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  const { carriers } = await search.search({ ...query, passengers });
  expect(carriers[0]?.ignored).toEqual(ignored);
  expect(questions[0]?.passengers).toHaveLength(passengers.length);
});

test('a status has what was left out and what the answer covers', async () => {
  const covers = { fromMs: NOW, untilMs: NOW + 1 };
  const { carrier } = carrierOf({}, { filtered: 3, covers });
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  expect((await search.search(query)).carriers).toEqual([
    { carrier: 'a', state: 'ok', ms: 0, found: 3, filtered: 3, covers },
  ]);
});

const failure = { code: 'RATE_LIMITED', message: 'Slower', retryAfterMs: 5 } as const;

test('an answer that a later page ends early keeps its journeys, and the search is not complete', async () => {
  const covers = { fromMs: NOW, untilMs: noon.departure.ms };
  const { carrier } = carrierOf({ window: 'page' }, { failure, covers, pages: { later: 'on' } });
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  const result = await search.search(query);
  expect(result.journeys).toHaveLength(3);
  const status = {
    carrier: 'a',
    state: 'ok',
    ms: 0,
    found: 3,
    covers,
    error: { code: 'RATE_LIMITED', retryable: true, message: 'Slower', retryAfterMs: 5 },
  };
  expect(result.carriers).toEqual([status]);
  expect(result.complete).toBe(false);
  // The rest is behind the page that it ends with.
  expect(result.pages?.later?.byCarrier).toEqual({ a: ['on'] });
  const events = [];
  for await (const event of search.stream(query)) events.push(event);
  expect(events).toContainEqual({ type: 'carrier-status', status });
  expect(events.at(-1)).toMatchObject({ type: 'search-done', complete: false, found: 3 });
  expect(search.stats()).toMatchObject({ complete: 0, partial: 2 });
});

test.each([
  ['RATE_LIMITED', 'rate-limited', false],
  ['TIMEOUT', 'timeout', false],
  ['HTTP', 'error', false],
  ['NO_RESULTS', 'empty', true],
] as const)(
  'without any journey a failure with %s is all that is known: %s',
  async (code, state, complete) => {
    const { carrier } = carrierOf(
      { window: 'page' },
      { journeys: [], failure: { code, message: 'M' }, pages: { later: 'on' } },
    );
    const search = createSearch({ carriers: [carrier], now: () => NOW });
    const result = await search.search(query);
    expect(result.carriers[0]).toMatchObject({ state, found: 0, error: { code, message: 'M' } });
    expect(result.complete).toBe(complete);
    expect(result.pages?.later?.byCarrier).toEqual({ a: complete ? ['on'] : [] });
  },
);

test('a failure that is a CarrierError keeps its details', async () => {
  const late = new CarrierError('HTTP', 'down', { retryable: true });
  const { carrier } = carrierOf({}, { failure: late });
  const search = createSearch({ carriers: [carrier], now: () => NOW });
  const { carriers } = await search.search(query);
  expect(carriers[0]?.error).toEqual({ code: 'HTTP', retryable: true, message: 'down' });
});

test('a page without `covers` covers the departures of its journeys, and no whole day', async () => {
  const statusOf = async (capabilities: CarrierCapabilities, answer: Partial<CarrierAnswer>) => {
    const { carrier } = carrierOf(capabilities, answer);
    const search = createSearch({ carriers: [carrier], now: () => NOW });
    return (await search.search(query)).carriers[0];
  };
  const pages = { later: 'on' };
  const shown = { fromMs: early.departure.ms, untilMs: change.departure.ms };
  expect(await statusOf({ window: 'page' }, { pages })).toMatchObject({ covers: shown });
  const mixed = { pages, journeys: [noon, change, early] };
  expect(await statusOf({ window: 'page' }, mixed)).toMatchObject({ covers: shown });
  // It has no more on either side.
  expect(await statusOf({ window: 'page' }, {})).not.toHaveProperty('covers');
  expect(await statusOf({ window: 'page' }, { pages, journeys: [] })).not.toHaveProperty('covers');
  // It was asked for a day.
  expect(await statusOf({}, { pages })).not.toHaveProperty('covers');
});

test('a carrier that answers more than `maxJourneys` fails, and the others are found', async () => {
  const { carrier } = carrierOf();
  const many = createSearch({ carriers: [carrier], now: () => NOW, maxJourneys: 3 });
  expect((await many.search(query)).carriers[0]).toMatchObject({ state: 'ok', found: 3 });
  const other: Carrier = { ...carrier, id: 'b', normalise: () => ({ journeys: [early] }) };
  const few = createSearch({ carriers: [carrier, other], now: () => NOW, maxJourneys: 2 });
  const { carriers, journeys, complete } = await few.search(query);
  expect(carriers).toMatchObject([
    {
      state: 'error',
      found: 0,
      error: {
        code: 'PROTOCOL',
        retryable: false,
        message: 'Carrier `a` answered 3 journeys, more than `maxJourneys` (2)',
      },
    },
    { state: 'ok', found: 1 },
  ]);
  expect([journeys.length, complete]).toEqual([1, false]);
});

test('10,000 journeys are an answer, one more is not [carrier-bounds]', async () => {
  const answerOf = async (length: number) => {
    const journeys = Array.from({ length }, (_, index) => ({ ...early, id: `j-${index}` }));
    const { carrier } = carrierOf({}, { journeys });
    const { carriers } = await createSearch({ carriers: [carrier], now: () => NOW }).search(query);
    return carriers[0]?.state;
  };
  expect([await answerOf(10_000), await answerOf(10_001)]).toEqual(['ok', 'error']);
});

test('a carrier that is asked too often is rate-limited, and its status has `retryAfterMs`', async () => {
  const { carrier } = carrierOf();
  const limited: Carrier = {
    ...carrier,
    request: () => Promise.reject(new CarrierError('RATE_LIMITED', 'slower', { retryAfterMs: 5 })),
  };
  const search = createSearch({ carriers: [limited], now: () => NOW });
  const { carriers, complete } = await search.search(query);
  expect(carriers[0]).toMatchObject({ state: 'rate-limited', error: { retryAfterMs: 5 } });
  expect([complete, search.stats().carriers['a']?.['rate-limited']]).toEqual([false, 1]);
});

test('mergeJourneys() of a search joins the sources without prices', async () => {
  const hafas: Carrier = {
    id: 'hafas',
    name: 'H',
    request: async () => undefined,
    normalise: () => ({ journeys: [{ ...early, sources: ['hafas'], unpriced: ['hafas'] }] }),
  };
  const { carrier } = carrierOf();
  const search = createSearch({ carriers: [carrier, hafas], now: () => NOW });
  const [first] = (await search.search(query)).journeys;
  expect(first).toMatchObject({ sources: ['hafas', 'renfe'], unpriced: ['hafas'], offers: [] });
});
