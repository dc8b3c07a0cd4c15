import {
  createJourney,
  createLocalClock,
  type Journey,
  mergeJourneys,
  type RideLeg,
  sortJourneys,
} from '@ticketing/core';
import type { Subject } from '../subject.ts';

const ZONE = 'Europe/Madrid';
const clock = createLocalClock();
const dayStart = clock.epoch('2026-12-01T00:00', ZONE);
const MINUTE_MS = 60_000;
const SIZES = [10, 100, 1000, 2000, 5000, 10_000, 20_000];

/** Journeys of two carriers that list the same trains. */
function journeysOf(count: number, isNumbered: boolean): Journey[] {
  return Array.from({ length: count }, (_, index) => {
    const train = index >> 1;
    const source = index % 2 === 0 ? 'renfe' : 'agency';
    const departs = dayStart + ((train * 7) % 1200) * MINUTE_MS;
    const ride: RideLeg = {
      ...{ kind: 'ride', origin: 'uic:7160000', destination: `stop:${train % 40}` },
      ...(isNumbered ? { number: String(train) } : { brand: `Brand ${train % 3}` }),
      departure: clock.fromEpoch(departs, ZONE),
      arrival: clock.fromEpoch(departs + (100 + (train % 37)) * MINUTE_MS, ZONE),
    };
    return createJourney({
      source,
      legs: [ride],
      offers: [
        {
          ...{ id: 'basic', seller: source, travelClass: 'second', flexibility: 'none' },
          ...{ total: { amount: 1900 + train, currency: 'EUR' }, fetchedAt: dayStart },
        },
      ],
    });
  });
}

const subject = (name: string, isNumbered: boolean): Subject => ({
  name,
  of: 'journeys',
  sizes: SIZES,
  contenders: [
    {
      name: '`mergeJourneys`, `sortJourneys`',
      prepare(size) {
        const journeys = journeysOf(size, isNumbered);
        return { work: () => sortJourneys(mergeJourneys(journeys), 'departure') };
      },
    },
  ],
});

export const journeysSubjects: readonly Subject[] = [
  subject('journeys with numbers', true),
  subject('journeys without numbers', false),
];
