import { strictEqual } from 'node:assert/strict';
import { type Measured, measureRounds } from '@ticketing/bench-kit';
import {
  combineJourneys,
  createJourney,
  createLocalClock,
  type Journey,
  type Station,
} from '@ticketing/core';
import { createRandom } from './timetable.ts';

const ZONE = 'Europe/Paris';
const MINUTE_MS = 60_000;
const clock = createLocalClock();
const dayStart = clock.epoch('2026-12-01T00:00', ZONE);
const hub: Station = {
  ...{ id: 'uic:8768603', name: 'Paris', country: 'FR', zone: ZONE, codes: {} },
  ...{ latitude: 48.8, longitude: 2.4 },
};
const bounds = { minMinutes: 45, maxMinutes: 240 };

interface Side {
  readonly source: string;
  readonly origin: string;
  readonly destination: string;
}

function journeysOf({ source, origin, destination }: Side, count: number): Journey[] {
  const random = createRandom(source.length);
  return Array.from({ length: count }, (_, train) => {
    const departs = dayStart + Math.floor(random() * 1200) * MINUTE_MS;
    const arrives = departs + (120 + Math.floor(random() * 60)) * MINUTE_MS;
    return createJourney({
      source,
      legs: [
        {
          ...{ kind: 'ride', origin, destination, number: String(train) },
          departure: clock.fromEpoch(departs, ZONE),
          arrival: clock.fromEpoch(arrives, ZONE),
        },
      ],
      offers: [
        {
          ...{ id: 'basic', seller: source, fetchedAt: dayStart },
          ...{ travelClass: 'second', flexibility: 'none' },
          total: { amount: 1900 + Math.floor(random() * 8000), currency: 'EUR' },
        },
      ],
    });
  });
}

/** Returns the number of pairs that no other pair dominates, by price among all pairs in the order of arrival. */
function everyPair(first: readonly Journey[], second: readonly Journey[]): number {
  const pairs: { arrival: number; price: number }[] = [];
  for (const before of first) {
    for (const after of second) {
      const minutes = (after.departure.ms - before.arrival.ms) / MINUTE_MS;
      if (minutes < bounds.minMinutes || minutes > bounds.maxMinutes) continue;
      const price = (before.offers[0]?.total.amount ?? 0) + (after.offers[0]?.total.amount ?? 0);
      pairs.push({ arrival: after.arrival.ms, price });
    }
  }
  pairs.sort((a, b) => a.arrival - b.arrival || a.price - b.price);
  let [count, least] = [0, Number.POSITIVE_INFINITY];
  for (const { price } of pairs) {
    if (price >= least) continue;
    least = price;
    count += 1;
  }
  return count;
}

/** One case of {@link benchCombine}. */
export interface CombineCase {
  readonly title: string;
  readonly measured: readonly Measured[];
}

/** Measures `combineJourneys()` against a look at every pair, with lists of these lengths on both sides. */
export async function benchCombine(
  rounds: number,
  lengths: readonly number[],
): Promise<CombineCase[]> {
  const cases: CombineCase[] = [];
  for (const length of lengths) {
    const first = journeysOf({ source: 'iberia', origin: 'a', destination: hub.id }, length);
    const second = journeysOf({ source: 'gallia', origin: hub.id, destination: 'b' }, length);
    const combine = () => combineJourneys(first, second, { at: hub, ...bounds });
    strictEqual(combine().length, everyPair(first, second));
    const contenders = [
      { name: 'every pair', work: async () => everyPair(first, second) },
      { name: '`combineJourneys()`', work: async () => combine() },
    ];
    cases.push({
      title: `2 x ${length}`,
      // Every pair of the longest lists takes many seconds.
      measured: await measureRounds(contenders, {
        rounds: Math.min(rounds, length > 1000 ? 3 : 30),
        repeats: 1,
      }),
    });
  }
  return cases;
}
