import {
  type Carrier,
  type CarrierAnswer,
  type CarrierCapabilities,
  CarrierError,
  type CarrierQuery,
  createJourney,
  createLocalClock,
  createSearch,
  type SearchQuery,
  type Station,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { barcelona, madrid, NOW, offer, query, train } from './trains.ts';

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

test('offers of another class are left out, those of any class stay', async () => {
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

test('a carrier that is asked too often is rate-limited, and says until when', async () => {
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

test('mergeJourneys() of a search joins who knows no price', async () => {
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
