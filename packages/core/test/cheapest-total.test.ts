import {
  cheapestTotal,
  createJourney,
  createLocalClock,
  lowestPrices,
  lowestTotals,
  type Money,
  type Offer,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offer } from './trains.ts';

const clock = createLocalClock();

function journeyOf(rides: number, offers: readonly Offer[]) {
  const legs = Array.from({ length: rides }, (_, index) => ({
    kind: 'ride' as const,
    origin: `s${index}`,
    destination: `s${index + 1}`,
    number: '1',
    departure: clock.fromLocal(`2026-12-01T${10 + index}:00`, 'Europe/Madrid'),
    arrival: clock.fromLocal(`2026-12-01T${10 + index}:50`, 'Europe/Madrid'),
  }));
  return createJourney({ source: 'a', legs, offers });
}

const part = (amount: number, rides?: number[], currency = 'EUR'): Offer =>
  offer('a', amount, {
    id: `${amount} ${rides}`,
    total: { amount, currency },
    ...(rides && { rides }),
  });

test('cheapestTotal() takes the cheapest offer for the whole journey', () => {
  expect(cheapestTotal(journeyOf(1, [part(5), part(3)]))).toEqual({ amount: 3, currency: 'EUR' });
  expect(cheapestTotal(journeyOf(1, []))).toBeUndefined();
});

test('cheapestTotal() adds offers for parts that together cover each ride once', () => {
  expect(cheapestTotal(journeyOf(2, [part(9), part(4, [0]), part(3, [1])]))?.amount).toBe(7);
  expect(cheapestTotal(journeyOf(2, [part(6), part(4, [0]), part(3, [1])]))?.amount).toBe(6);
  expect(cheapestTotal(journeyOf(2, [part(4, [0])]))).toBeUndefined();
  expect(cheapestTotal(journeyOf(3, [part(1, [0, 1]), part(1, [1, 2])]))).toBeUndefined();
});

test('cheapestTotal() never adds two currencies, and compares none', () => {
  const mixed = [part(1, [0], 'CHF'), part(1, [1], 'EUR')];
  expect(cheapestTotal(journeyOf(2, mixed))).toBeUndefined();
  expect(cheapestTotal(journeyOf(2, [...mixed, part(8, [0], 'EUR')]))).toEqual({
    amount: 9,
    currency: 'EUR',
  });
  const both = journeyOf(2, [...mixed, part(8), part(7, undefined, 'CHF')]);
  const [chf, eur] = [
    { amount: 7, currency: 'CHF' },
    { amount: 8, currency: 'EUR' },
  ];
  expect(lowestTotals(both)).toEqual([chf, eur]);
  expect(cheapestTotal(both)).toBeUndefined();
});

const converted = (amount: number, price: number, rides?: number[], currency = 'EUR'): Offer => ({
  ...part(amount, rides, currency),
  converted: { amount: price, currency: 'CHF' },
});

test('cheapestTotal() is by converted prices, which make one currency of several', () => {
  const [a, b] = [converted(9, 8, [0]), converted(3, 3, [1], 'CHF')];
  const journey = journeyOf(2, [a, b, converted(12, 12)]);
  expect(cheapestTotal(journey)).toEqual({ amount: 11, currency: 'CHF' });
  expect(lowestPrices(journey)).toEqual([
    { total: { amount: 11, currency: 'CHF' }, offers: [a, b] },
  ]);
});

test('lowestTotals() has converted prices first, and those without a rate by themselves', () => {
  const journey = journeyOf(1, [part(1, undefined, 'AUD'), converted(9, 8), part(2)]);
  expect(journey.offers.map(({ total }) => total.amount)).toEqual([9, 1, 2]);
  expect(lowestTotals(journey)).toEqual([
    { amount: 8, currency: 'CHF' },
    { amount: 1, currency: 'AUD' },
    { amount: 2, currency: 'EUR' },
  ]);
  expect(cheapestTotal(journey)).toBeUndefined();
});

test('lowestTotals() compares a converted price with one of that currency from a search without rates', () => {
  const journey = journeyOf(1, [converted(9, 8), part(7, undefined, 'CHF'), part(2)]);
  expect(lowestTotals(journey)).toEqual([
    { amount: 7, currency: 'CHF' },
    { amount: 2, currency: 'EUR' },
  ]);
});

test('cheapestTotal() combines no offers for parts of more than eight rides', () => {
  const parts = Array.from({ length: 9 }, (_, ride) => part(1, [ride]));
  expect(cheapestTotal(journeyOf(9, parts))).toBeUndefined();
  expect(cheapestTotal(journeyOf(9, [...parts, part(50)]))?.amount).toBe(50);
  expect(cheapestTotal(journeyOf(8, parts.slice(0, 8)))?.amount).toBe(8);
});

const forSome = (amount: number, passengers: number[], rides?: number[]): Offer => ({
  ...part(amount, rides),
  id: `${amount} ${rides} ${passengers}`,
  passengers,
});

test('cheapestTotal() adds one offer for each traveller, or there is no price for all', () => {
  const total = (offers: readonly Offer[], passengers?: number, rides = 1) =>
    cheapestTotal({ ...journeyOf(rides, offers), passengers })?.amount;
  const each = [forSome(20, [0]), forSome(20, [1]), forSome(9, [2])];
  expect(total(each, 3)).toBe(49);
  expect(total(each, 4)).toBeUndefined();
  expect(total(each.slice(1), 3)).toBeUndefined();
  // How many travel is not known.
  expect(total(each)).toBeUndefined();
  expect(total([...each, part(60)])).toBe(60);
  expect(total([...each, part(60)], 3)).toBe(49);
  expect(total([...each, part(40)], 3)).toBe(40);
  expect(total([...each, forSome(30, [0, 1])], 3)).toBe(39);
  expect(total([forSome(5, [0])], 1)).toBe(5);
  // Two offers for one of them are not for both.
  expect(total([forSome(5, [0]), forSome(6, [0])], 2)).toBeUndefined();
});

test('cheapestTotal() adds tickets of travellers for the way, or of trains for all', () => {
  const total = (...offers: Offer[]) =>
    cheapestTotal({ ...journeyOf(2, offers), passengers: 2 })?.amount;
  const [a, b] = [
    [forSome(4, [0], [0]), forSome(5, [0], [1])],
    [forSome(4, [1], [0]), forSome(5, [1], [1])],
  ];
  expect(total(...(a ?? []), ...(b ?? []))).toBe(18);
  expect(total(forSome(7, [0]), ...(b ?? []))).toBe(16);
  expect(total(...(a ?? []).slice(0, 1), ...(b ?? []).slice(0, 1), part(3, [1]))).toBe(11);
  expect(total(...(a ?? []), ...(b ?? []).slice(0, 1))).toBeUndefined();
});

test('cheapestTotal() is quick for many offers for some of nine travellers in eight trains', () => {
  const offers = Array.from({ length: 2000 }, (_, index) =>
    forSome(1 + (index % 97), [index % 9], [index % 8]),
  );
  const byRide = Array.from({ length: 8 }, (_, ride) =>
    Array.from({ length: 9 }, (_, who) =>
      Math.min(
        ...offers
          .filter(({ rides, passengers }) => rides?.[0] === ride && passengers?.[0] === who)
          .map(({ total }) => total.amount),
      ),
    ).reduce((sum, amount) => sum + amount),
  ).reduce((sum, amount) => sum + amount);
  const journey = journeyOf(8, offers);
  expect(cheapestTotal({ ...journey, passengers: 9 })?.amount).toBe(byRide);
});

/** Tries every set of offers. */
function bruteForce(rides: number, offers: readonly Offer[]): Money[] {
  const found = new Map<string, number>();
  for (let chosen = 1; chosen < 2 ** offers.length; chosen++) {
    const set = offers.filter((_, index) => chosen & (1 << index));
    const covered = set.flatMap((one) => one.rides ?? [...Array(rides).keys()]);
    const currency = set[0]?.total.currency ?? '';
    if (covered.length !== rides || new Set(covered).size !== rides) continue;
    if (set.some(({ total }) => total.currency !== currency)) continue;
    const amount = set.reduce((sum, { total }) => sum + total.amount, 0);
    found.set(currency, Math.min(amount, found.get(currency) ?? amount));
  }
  return [...found.keys()]
    .sort()
    .map((currency) => ({ amount: found.get(currency) ?? 0, currency }));
}

test('cheapestTotal() is what trying every set of offers gives', () => {
  const journeys = fc.integer({ min: 1, max: 5 }).chain((rides) =>
    fc.tuple(
      fc.constant(rides),
      fc.uniqueArray(
        fc.record({
          amount: fc.integer({ min: 0, max: 30 }),
          rides: fc.option(fc.subarray([...Array(rides).keys()], { minLength: 1 }), {
            nil: undefined,
            freq: 5,
          }),
          currency: fc.constantFrom('EUR', 'EUR', 'CHF'),
        }),
        { maxLength: 9, selector: ({ amount, rides: own }) => `${amount} ${own}` },
      ),
    ),
  );
  fc.assert(
    fc.property(journeys, ([rides, parts]) => {
      const offers = parts.map(({ amount, rides: own, currency }) => part(amount, own, currency));
      const journey = journeyOf(rides, offers);
      const totals = bruteForce(rides, offers);
      expect(lowestTotals(journey)).toEqual(totals);
      expect(cheapestTotal(journey)).toEqual(totals.length > 1 ? undefined : totals[0]);
      for (const { total, offers: bought } of lowestPrices(journey)) {
        expect(bruteForce(rides, bought)).toEqual([total]);
      }
    }),
    { numRuns: 500 },
  );
});

/** Tries every set of offers for so many travellers. */
function leastForAll(rides: number, party: number, offers: readonly Offer[]): number | undefined {
  let least: number | undefined;
  for (let chosen = 1; chosen < 2 ** offers.length; chosen++) {
    const set = offers.filter((_, index) => chosen & (1 << index));
    const covered = set.flatMap(({ rides: own = [...Array(rides).keys()], passengers }) =>
      own.flatMap((ride) =>
        (passengers ?? [...Array(party).keys()]).map((traveller) => `${ride} ${traveller}`),
      ),
    );
    if (covered.length !== rides * party || new Set(covered).size !== rides * party) continue;
    const amount = set.reduce((sum, { total }) => sum + total.amount, 0);
    least = Math.min(amount, least ?? amount);
  }
  return least;
}

test('cheapestTotal() is never less than any set of offers for all gives, and the least of one train or one traveller', () => {
  const sizes = fc.record({
    rides: fc.integer({ min: 1, max: 3 }),
    party: fc.integer({ min: 1, max: 3 }),
  });
  const journeys = sizes.chain(({ rides, party }) => {
    const some = (count: number) =>
      fc.option(fc.subarray([...Array(count).keys()], { minLength: 1 }), { nil: undefined });
    const parts = fc.record({
      amount: fc.integer({ min: 0, max: 30 }),
      rides: some(rides),
      passengers: some(party),
    });
    const offers = fc.uniqueArray(parts, { maxLength: 9, selector: (one) => JSON.stringify(one) });
    return fc.record({ rides: fc.constant(rides), party: fc.constant(party), offers });
  });
  fc.assert(
    fc.property(journeys, ({ rides, party, offers: parts }) => {
      const offers = parts.map(({ amount, rides: own, passengers }) => ({
        ...part(amount, own),
        id: JSON.stringify([amount, own, passengers]),
        ...(passengers && { passengers }),
      }));
      const found = cheapestTotal({ ...journeyOf(rides, offers), passengers: party })?.amount;
      const least = leastForAll(rides, party, offers);
      if (rides === 1 || party === 1) expect(found).toBe(least);
      if (found !== undefined) expect(found).toBeGreaterThanOrEqual(least ?? Number.NaN);
    }),
    { numRuns: 1000 },
  );
});
