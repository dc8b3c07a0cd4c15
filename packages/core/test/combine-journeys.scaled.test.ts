import { combineJourneys, type Journey, lowestTotals, type TransferLeg } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveCombination } from './naive-combination.ts';
import { runs } from './scale.ts';
import { far, hub, type JourneyParts, journey, north, south } from './split-journeys.ts';
import { madrid, offer } from './trains.ts';

const price = fc.record({
  amount: fc.integer({ min: 1, max: 4 }),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'CHF'),
});

// Few values, close together: many pairs are equal in a criterion, or just miss a bound.
const parts = fc.record({
  source: fc.constantFrom('renfe', 'ouigo', 'sncf'),
  from: fc.integer({ min: 0, max: 30 }).map((value) => value * 15),
  minutes: fc.integer({ min: 2, max: 8 }).map((value) => value * 15),
  changes: fc.constantFrom(0, 0, 1, 2),
  prices: fc.oneof(
    { weight: 4, arbitrary: fc.array(price, { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(price, { maxLength: 0 }) },
  ),
  priced: fc.option(fc.constant(false as const), { nil: undefined, freq: 4 }),
  late: fc.option(fc.integer({ min: -15, max: 30 }), { nil: undefined, freq: 3 }),
  onFoot: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
  at: fc.constantFrom(north.id, north.id, south.id, north.id, 'elsewhere'),
});

const listOf = (make: (station: string) => Partial<JourneyParts>, later = 0) =>
  fc
    .array(parts, { minLength: 2, maxLength: 14 })
    .map((list) =>
      list.map(({ from, minutes, prices, at, ...rest }) =>
        journey({
          ...rest,
          from: from + later,
          until: from + later + minutes,
          offers: prices.map((total, index) =>
            offer(rest.source, total.amount, { id: `${index}`, total }),
          ),
          ...make(at),
        }),
      ),
    )
    .map(distinct);

/** A search gives each id once. */
function distinct(journeys: readonly Journey[]): Journey[] {
  return [...new Map(journeys.map((each) => [each.id, each])).values()];
}

const question = fc.record({
  first: listOf((destination) => ({ origin: madrid.id, destination })),
  second: listOf((origin) => ({ origin, destination: far.id }), 180),
  minMinutes: fc.integer({ min: 0, max: 60 }),
  more: fc.integer({ min: 0, max: 240 }),
  maxTransfers: fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
});

const stations = [hub.id, north.id, south.id];

test('combineJourneys() finds what a comparison of each pair with every other finds', () => {
  let found = 0;
  fc.assert(
    fc.property(question, ({ first, second, minMinutes, more, maxTransfers }) => {
      const options = { minMinutes, maxMinutes: minMinutes + more, maxTransfers };
      const combined = combineJourneys(first, second, { at: hub, ...options });
      const naive = naiveCombination(first, second, { stations, ...options });
      const shown = combined.map(({ departure, arrival, transfers, offers, legs }) => ({
        trains: legs.flatMap((leg) => (leg.kind === 'ride' ? [leg.number] : [])),
        ends: [departure.ms, arrival.ms, transfers],
        totals: lowestTotals({ offers, legs }),
      }));
      found += shown.length;
      expect(shown).toEqual(
        naive.map((pair) => ({
          trains: [...pair.first.legs, ...pair.second.legs].flatMap((leg) =>
            leg.kind === 'ride' ? [leg.number] : [],
          ),
          ends: [pair.first.departure.ms, pair.second.arrival.ms, pair.transfers],
          totals: [...pair.totals]
            .map(([currency, amount]) => ({ amount, currency }))
            .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
        })),
      );
    }),
    { numRuns: runs(4000) },
  );
  // Else the property would say little; on average there are one and a half per run.
  expect(found).toBeGreaterThan(runs(4000) / 4);
});

test('combineJourneys() gives no connection that is shorter or longer than asked, and one mark in each journey', () => {
  fc.assert(
    fc.property(question, ({ first, second, minMinutes, more }) => {
      const maxMinutes = minMinutes + more;
      for (const { legs } of combineJourneys(first, second, { at: hub, minMinutes, maxMinutes })) {
        const marks = legs.filter((leg) => leg.kind === 'transfer' && leg.selfTransfer);
        expect(marks).toHaveLength(1);
        const place = legs.indexOf(marks[0] as TransferLeg);
        const [before, after] = [legs.slice(0, place), legs.slice(place + 1)];
        const rides = (list: Journey['legs']) =>
          list.flatMap((leg) => (leg.kind === 'ride' ? [leg] : []));
        const [last, next] = [rides(before).at(-1), rides(after)[0]];
        const onFoot = [before.at(-1), after[0]].reduce(
          (sum, leg) => sum + (leg?.kind === 'transfer' ? leg.minutes : 0),
          0,
        );
        for (const [arrival, departure] of [
          [last?.arrival, next?.departure],
          [last?.expectedArrival ?? last?.arrival, next?.expectedDeparture ?? next?.departure],
        ]) {
          const minutes = ((departure?.ms ?? 0) - (arrival?.ms ?? 0)) / 60_000 - onFoot;
          expect(minutes).toBeGreaterThanOrEqual(minMinutes);
        }
        const planned = ((next?.departure.ms ?? 0) - (last?.arrival.ms ?? 0)) / 60_000 - onFoot;
        expect(planned).toBeGreaterThanOrEqual(minMinutes);
        expect(marks[0]).toMatchObject({ minutes: minMinutes, selfTransfer: true });
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('combineJourneys() does not depend on the order of its lists, and leaves them as they are', () => {
  const shuffled = question.chain((asked) =>
    fc.record({
      asked: fc.constant(asked),
      first: fc.shuffledSubarray(asked.first, { minLength: asked.first.length }),
      second: fc.shuffledSubarray(asked.second, { minLength: asked.second.length }),
    }),
  );
  fc.assert(
    fc.property(shuffled, ({ asked, first, second }) => {
      const options = { at: hub, minMinutes: asked.minMinutes, maxMinutes: asked.minMinutes + 60 };
      const before = structuredClone([first, second]);
      expect(combineJourneys(first, second, options)).toEqual(
        combineJourneys(asked.first, asked.second, options),
      );
      expect([first, second]).toEqual(before);
    }),
    { numRuns: runs(1000) },
  );
});
