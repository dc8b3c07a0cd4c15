import fc from 'fast-check';
import { expect, test } from 'vitest';
import { europeanCarriers } from '../src/timetable/europe/carriers.ts';
import { type EuropeanSeller, europeanChanges } from '../src/timetable/europe/lines.ts';
import { listRides, sellsPair } from '../src/timetable/europe/list-rides.ts';
import { europeanStations } from '../src/timetable/europe/stations.ts';
import { addDays, localTimeAt } from '../src/timetable/local-clock.ts';
import { stationOf } from '../src/timetable/network.ts';
import type { Ride } from '../src/timetable/train.ts';

const sellers = Object.keys(europeanCarriers) as EuropeanSeller[];
export const places = {
  paris: '8768600',
  milano: '8301700',
  wien: '8101003',
  munchen: '8020347',
  london: '7015400',
  nord: '8727100',
  zurich: '8503000',
  bern: '8507000',
} as const;
export const date = '2026-12-01';

export const uics: readonly string[] = europeanStations.map((station) => station.uic);
const uic = fc.constantFrom(...uics);
// Days at the clock changes come as often as all others together.
const day = fc.oneof(
  fc.constantFrom('2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25'),
  fc.integer({ min: 0, max: 800 }).map((days) => addDays('2026-01-01', days)),
);

export interface Asked {
  readonly seller?: EuropeanSeller;
  readonly origin?: string;
  readonly destination?: string;
  readonly date?: string;
  readonly atLeast?: number;
}

export const rides = (asked: Asked): readonly Ride[] =>
  listRides({
    seed: '1',
    seller: 'osdm',
    origin: places.paris,
    destination: places.milano,
    date,
    atLeast: 0,
    ...asked,
  });
const lastOf = (ride: Ride) => ride[1] ?? ride[0];
const keyOf = (ride: Ride) => ride.map(({ brand, number }) => `${brand} ${number}`).join(' + ');
export const clockOf = (ms: number, at: string): ReturnType<typeof localTimeAt> =>
  localTimeAt(ms, stationOf(at).zone);

export function testListings(numRuns: number): void {
  test('listings are in order of departure, no two in one minute, on the day that was asked', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sellers), uic, uic, day, (seller, origin, destination, on) => {
        const listed = rides({ seller, origin, destination, date: on });
        const departures = listed.map(([{ departureMs }]) => departureMs);
        expect(departures).toEqual([...new Set(departures)].sort((a, b) => a - b));
        expect(new Set(listed.map(keyOf)).size).toBe(listed.length);
        if (listed.length > 0) expect(sellsPair(seller, { origin, destination })).toBe(true);
        for (const ride of listed) {
          const [first, second] = ride;
          expect([first.origin, lastOf(ride).destination]).toEqual([origin, destination]);
          expect(clockOf(first.departureMs, origin).date).toBe(on);
          for (const run of ride) {
            expect(run.arrivalMs).toBeGreaterThan(run.departureMs);
            expect(run.number).toMatch(/^[1-9]\d*$/);
            expect(run.cancelled === true && run.seatsLeft > 0).toBe(false);
          }
          if (second === undefined) continue;
          const change = europeanChanges.find(
            ({ from, to }) => from === first.destination && to === second.origin,
          );
          // A late train is caught although it leaves too early as planned.
          const planned = (second.departureMs - first.arrivalMs) / 60_000;
          const late = (second.delayMinutes ?? 0) - (first.delayMinutes ?? 0);
          const minutes = Math.max(planned, planned + late);
          expect(minutes).toBeGreaterThanOrEqual(change?.shortest ?? Number.NaN);
          expect(planned).toBeLessThanOrEqual(change?.longest ?? Number.NaN);
          expect(first.cancelled ?? second.cancelled).toBeUndefined();
        }
      }),
      { numRuns },
    );
  });

  test('a train has the same times, seats and delay wherever it is listed', () => {
    fc.assert(
      fc.property(uic, uic, day, fc.nat(60), fc.nat(60), (origin, destination, on, one, other) => {
        const known = new Map<string, Ride>();
        for (const [seller, atLeast] of sellers.flatMap((id) => [
          [id, one] as const,
          [id, other] as const,
        ])) {
          for (const ride of rides({ seller, origin, destination, date: on, atLeast })) {
            const before = known.get(keyOf(ride));
            if (before !== undefined) expect(ride).toEqual(before);
            known.set(keyOf(ride), ride);
          }
        }
      }),
      { numRuns },
    );
  });
}
