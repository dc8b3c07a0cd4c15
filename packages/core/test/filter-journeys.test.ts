import {
  createJourney,
  createLocalClock,
  facetsOf,
  filterJourneys,
  type Journey,
  type JourneyFilter,
  type RateSource,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offer, train } from './trains.ts';

const clock = createLocalClock();
const at = (time: string) => clock.fromLocal(`2026-12-01T${time}`, 'Europe/Madrid');
const morning = train({
  number: '1',
  brand: 'AVE',
  offers: [
    offer('renfe', 2000, { flexibility: 'none', travelClass: 'second' }),
    offer('renfe', 5000, { flexibility: 'semi', travelClass: 'first' }),
    offer('agency', 1900, { flexibility: 'none', travelClass: 'second' }),
  ],
});
const night = train({
  source: 'ouigo',
  number: '2',
  brand: 'OUIGO',
  at: '2026-12-01T23:00',
  until: '2026-12-02T06:00',
  offers: [offer('ouigo', 900, { flexibility: 'full' })],
});
const soldOut = train({ number: '3', at: '2026-12-01T12:00', until: '2026-12-01T15:00' });
const ride = (origin: string, destination: string, from: string, until: string) =>
  ({
    kind: 'ride',
    number: '4',
    brand: 'AVE',
    origin,
    destination,
    departure: at(from),
    arrival: at(until),
  }) as const;
const change = createJourney({
  source: 'hafas',
  legs: [ride('a', 'b', '08:00', '09:00'), ride('b', 'c', '09:30', '11:00')],
  offers: [offer('hafas', 700, { rides: [0] }), offer('hafas', 600, { rides: [1] })],
});
const all = [morning, night, soldOut, change];
const ecb = (perBase: Readonly<Record<string, string>>): RateSource => ({
  asOf: '2026-11-30',
  source: 'A bank',
  base: 'EUR',
  perBase,
});
const eur = (amount: number) => ({ amount, currency: 'EUR' });

test.each<[filter: JourneyFilter, kept: readonly Journey[]]>([
  [{}, all],
  [{ direct: true }, [morning, night, soldOut]],
  [{ direct: false }, all],
  [{ maxPrice: eur(1300) }, [night, change]],
  [{ maxPrice: eur(1299) }, [night]],
  [{ maxPrice: { amount: 9999, currency: 'CHF' } }, []],
  [{ maxPrice: { amount: 650, currency: 'CHF' }, rates: ecb({ CHF: '0.5' }) }, [night, change]],
  [{ maxPrice: { amount: 649, currency: 'CHF' }, rates: ecb({ CHF: '0.5' }) }, [night]],
  [{ maxPrice: { amount: 9999, currency: 'CHF' }, rates: ecb({ SEK: '11' }) }, []],
  [{ departAfter: '08:00' }, [night, soldOut, change]],
  [{ departBefore: '08:00' }, [morning, change]],
  [{ arriveBefore: '08:45' }, [morning, night]],
  [{ carriers: ['renfe'] }, [morning, soldOut]],
  [{ carriers: [] }, []],
  [{ carriers: ['renfe'], maxPrice: eur(1999) }, []],
  [{ flexible: true }, [morning, night]],
  [{ flexible: true, maxPrice: eur(4999) }, [night]],
  [{ flexible: undefined, maxPrice: undefined, carriers: undefined }, all],
])('filterJourneys(%j) keeps what it says, as it is', (filter, kept) => {
  expect(filterJourneys(all, filter)).toEqual(kept);
});

test('filterJourneys() counts the ways at the ends, from door to door', () => {
  const way = (origin: string, destination: string, minutes: number) =>
    ({ kind: 'transfer', origin, destination, minutes }) as const;
  const walked = createJourney({
    source: 'hafas',
    legs: [way('x', 'a', 10), ride('a', 'b', '08:00', '17:50'), way('b', 'y', 15)],
    offers: [],
  });
  const keeps = (filter: JourneyFilter) => filterJourneys([walked], filter).length === 1;
  expect(keeps({ arriveBefore: '18:04' })).toBe(false);
  expect(keeps({ arriveBefore: '18:05' })).toBe(true);
  expect(keeps({ departAfter: '07:51' })).toBe(false);
  expect(keeps({ departAfter: '07:50' })).toBe(true);
  expect(keeps({ departBefore: '07:49' })).toBe(false);
  expect(keeps({ departBefore: '07:50' })).toBe(true);
  expect(facetsOf([walked]).hour).toEqual([{ value: 7, count: 1, lowest: [] }]);
  const late = createJourney({
    source: 'hafas',
    legs: [way('x', 'a', 20), ride('a', 'b', '00:10', '23:50'), way('b', 'y', 20)],
    offers: [],
  });
  expect(filterJourneys([late], { arriveBefore: '00:10', departAfter: '23:50' })).toEqual([late]);
  expect(filterJourneys([late], { arriveBefore: '00:09' })).toEqual([]);
  // Nobody knows the way: it has no minutes.
  const near = createJourney({
    source: 'hafas',
    legs: [{ ...way('x', 'a', 0), nearby: true }, ride('a', 'b', '08:00', '17:50')],
    offers: [],
  });
  expect(filterJourneys([near], { departAfter: '08:00' })).toEqual([near]);
});

test('filterJourneys() and facetsOf() count what all travellers pay together', () => {
  const offers = [
    offer('renfe', 2000, { passengers: [0], travelClass: 'second' }),
    offer('renfe', 900, { passengers: [1], travelClass: 'second' }),
  ];
  const both = { ...train({ number: '5', offers }), passengers: 2 };
  const three = { ...train({ number: '6', offers }), passengers: 3 };
  expect(filterJourneys([both, three], { maxPrice: eur(2900) })).toEqual([both]);
  expect(filterJourneys([both], { maxPrice: eur(2899) })).toEqual([]);
  expect(facetsOf([both, three]).travelClass).toEqual([
    { value: 'second', count: 2, lowest: [eur(2900)] },
  ]);
});

test.each<[filter: unknown, message: string]>([
  [undefined, '`options` must be an object, got undefined'],
  [{ price: 5 }, 'unknown option `price`; did you mean `maxPrice`?'],
  [{ maxPrice: 5 }, '`maxPrice` must be an amount with its currency, got 5'],
  [{ rates: 1.06 }, '`rates` must be an object, got 1.06'],
  [
    { rates: ecb({ CHF: '-1' }) },
    '`rates.perBase.CHF` must be decimal text above 0, such as 0.9412, got -1',
  ],
  [{ departAfter: '8:00' }, '`departAfter` must be a time of day as HH:MM, got 8:00'],
  [{ departBefore: 8 }, '`departBefore` must be a time of day as HH:MM, got 8'],
  [{ arriveBefore: '24:00' }, '`arriveBefore` must be a time of day as HH:MM, got 24:00'],
  [{ direct: 1 }, '`direct` must be true or false, got 1'],
  [{ carriers: 'renfe' }, '`carriers` must be a list of carriers, got renfe'],
  [{ flexible: 'yes' }, '`flexible` must be true or false, got yes'],
])('filterJourneys(%j) throws', (filter, message) => {
  expect(() => filterJourneys(all, filter as never)).toThrow(
    new TypeError(`Cannot filter journeys: ${message}`),
  );
});

test('facetsOf() counts journeys and gives the lowest price of each value', () => {
  expect(facetsOf(all)).toEqual({
    carrier: [
      { value: 'hafas', count: 1, lowest: [eur(1300)] },
      { value: 'ouigo', count: 1, lowest: [eur(900)] },
      { value: 'renfe', count: 2, lowest: [eur(2000)] },
    ],
    brand: [
      { value: 'AVE', count: 2, lowest: [eur(1300)] },
      { value: 'OUIGO', count: 1, lowest: [eur(900)] },
    ],
    transfers: [
      { value: 0, count: 3, lowest: [eur(900)] },
      { value: 1, count: 1, lowest: [eur(1300)] },
    ],
    hour: [
      { value: 6, count: 1, lowest: [eur(1900)] },
      { value: 8, count: 1, lowest: [eur(1300)] },
      { value: 12, count: 1, lowest: [] },
      { value: 23, count: 1, lowest: [eur(900)] },
    ],
    travelClass: [
      { value: 'any', count: 2, lowest: [eur(900)] },
      { value: 'first', count: 1, lowest: [eur(5000)] },
      { value: 'second', count: 1, lowest: [eur(1900)] },
    ],
    flexibility: [
      { value: 'full', count: 1, lowest: [eur(900)] },
      { value: 'none', count: 1, lowest: [eur(1900)] },
      { value: 'semi', count: 1, lowest: [eur(5000)] },
      { value: 'unknown', count: 1, lowest: [eur(1300)] },
    ],
  });
  expect(facetsOf([]).hour).toEqual([]);
});

test('facetsOf() has the lowest price in each currency of a journey', () => {
  const total = (amount: number, currency: string) => ({ total: { amount, currency } });
  const both = train({
    offers: [
      offer('a', 20_000, { id: '1', ...total(20_000, 'CHF') }),
      offer('a', 3000, { id: '2', ...total(3000, 'EUR') }),
    ],
  });
  const [{ lowest } = { lowest: [] }] = facetsOf([both]).transfers;
  expect(lowest).toEqual([{ amount: 20_000, currency: 'CHF' }, eur(3000)]);
});

test('facetsOf() keeps currencies apart', () => {
  const priced = (amount: number, currency: string) =>
    train({ offers: [offer('a', amount, { total: { amount, currency } })] });
  const [facet] = facetsOf([priced(9, 'EUR'), priced(5, 'CHF'), priced(7, 'EUR')]).transfers;
  expect(facet).toEqual({
    value: 0,
    count: 3,
    lowest: [
      { amount: 5, currency: 'CHF' },
      { amount: 7, currency: 'EUR' },
    ],
  });
});

test('facetsOf() counts what each filter would keep, in any order of journeys', () => {
  const lists = fc.shuffledSubarray(all);
  fc.assert(
    fc.property(lists, (list) => {
      const facets = facetsOf(list);
      expect(facets).toEqual(facetsOf([...list].reverse()));
      for (const { value, count } of facets.carrier) {
        expect(filterJourneys(list, { carriers: [value] })).toHaveLength(count);
      }
      const direct = facets.transfers.find(({ value }) => value === 0)?.count ?? 0;
      expect(filterJourneys(list, { direct: true })).toHaveLength(direct);
    }),
    { numRuns: 50 },
  );
});
