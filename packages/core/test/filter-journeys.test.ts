import {
  createJourney,
  createLocalClock,
  facetsOf,
  filterJourneys,
  type Journey,
  type JourneyFilter,
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
const eur = (amount: number) => ({ amount, currency: 'EUR' });

test.each<[filter: JourneyFilter, kept: readonly Journey[]]>([
  [{}, all],
  [{ direct: true }, [morning, night, soldOut]],
  [{ direct: false }, all],
  [{ maxPrice: eur(1300) }, [night, change]],
  [{ maxPrice: eur(1299) }, [night]],
  [{ maxPrice: { amount: 9999, currency: 'CHF' } }, []],
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

test.each<[filter: unknown, message: string]>([
  [undefined, '`options` must be an object, got undefined'],
  [{ price: 5 }, 'unknown option `price`; did you mean `maxPrice`?'],
  [{ maxPrice: 5 }, '`maxPrice` must be an amount with its currency, got 5'],
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

test('facetsOf() says what each filter would keep, in any order of journeys', () => {
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
