import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimetable } from '../src/index.ts';
import { addDays } from '../src/timetable/local-clock.ts';
import { stations } from '../src/timetable/network.ts';
import { type CarrierSimId, carrierOf, carrierSimIds } from '../src/timetable/sim-carriers.ts';
import { barcelona, madrid, madridBarcelona } from './started-sim.ts';

const isSpanish = (carrier: CarrierSimId) => carrierOf(carrier).network === 'spain';
const wienZurich = { origin: '8101003', destination: '8503000' };
const uic = fc.constantFrom(...stations.map((station) => station.uic));
const day = fc.integer({ min: 0, max: 800 }).map((days) => addDays('2026-01-01', days));

export function testDays(days: number): void {
  test(`createTimetable() gives 20 or more trains between Madrid and Barcelona on each of ${days} days`, () => {
    const { trains } = createTimetable({ seed: 1 });
    for (let index = 0; index < days; index++) {
      const date = addDays('2026-10-01', index);
      for (const [origin, destination] of [
        [madrid, barcelona],
        [barcelona, madrid],
      ] as const) {
        const all = trains({ origin, destination, date });
        const ave = all.filter(({ brand }) => brand === 'AVE');
        expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
        expect(all.length).toBeGreaterThanOrEqual(20);
        expect(ave).toHaveLength(12);
        expect(ave.filter(({ seatsLeft }) => seatsLeft === 0)).toHaveLength(1);
        expect(new Set(ave.map(({ fares }) => fares.length)).size).toBeGreaterThan(1);
        expect(all.filter(({ brand }) => brand === 'AVLO')).toHaveLength(6);
        expect(all.filter(({ operator }) => operator === 'ouigo')).toHaveLength(8);
      }
    }
  });
}

export function testListings(numRuns: number): void {
  test('createTimetable() gives equal trains for equal queries and other trains for another seed', () => {
    fc.assert(
      fc.property(fc.string(), uic, uic, day, (seed, origin, destination, date) => {
        const query = { origin, destination, date };
        const once = createTimetable({ seed }).trains(query);
        expect(createTimetable({ seed }).trains(query)).toEqual(once);
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      }),
      { numRuns },
    );
    expect(createTimetable({ seed: 1 }).trains(madridBarcelona)).not.toEqual(
      createTimetable({ seed: 2 }).trains(madridBarcelona),
    );
  });

  test('createTimetable() orders by departure and keeps numbers and minutes unique in each listing', () => {
    const carrier = fc.constantFrom(...carrierSimIds.filter(isSpanish));
    const journeys = fc.option(fc.integer({ min: 0, max: 120 }));
    fc.assert(
      fc.property(carrier, uic, uic, day, journeys, (seller, origin, destination, date, count) => {
        const query = { carrier: seller, origin, destination, date, journeys: count };
        const trains = createTimetable({ seed: 3 }).trains(query);
        const departures = trains.map(({ departureMs }) => departureMs);
        expect(departures).toEqual([...new Set(departures)].sort((a, b) => a - b));
        expect(new Set(trains.map(({ number }) => number)).size).toBe(trains.length);
        if (count !== null && trains.length > 0) expect(trains).toHaveLength(count);
        for (const train of trains) {
          expect(train.number).toMatch(/^0\d{4}$/);
          expect(train.arrivalMs).toBeGreaterThan(train.departureMs);
          expect(train.fares.length === 0).toBe(train.seatsLeft === 0);
          expect(train.fares.every(({ cents }) => Number.isInteger(cents) && cents > 0)).toBe(true);
        }
      }),
      { numRuns },
    );
  });
}

export function testThousands(dates: readonly string[]): void {
  test.each(dates)(
    'createTimetable() lists 1,000 journeys for every carrier on %s, the clocks changing or not',
    (date) => {
      const { trains } = createTimetable({ seed: 1 });
      for (const carrier of carrierSimIds) {
        const pair = isSpanish(carrier) ? madridBarcelona : wienZurich;
        const listed = trains({ ...pair, carrier, date, journeys: 1000 });
        expect(new Set(listed.map(({ departureMs }) => departureMs)).size).toBe(1000);
        expect(new Set(listed.map(({ number }) => number)).size).toBe(1000);
        expect(trains({ ...pair, carrier, date, journeys: 0 })).toEqual([]);
      }
      const changing = { carrier: 'renfe', origin: barcelona, destination: '7151003' } as const;
      expect(trains({ ...changing, date, journeys: 1000 })).toHaveLength(1000);
    },
  );
}

/** Proves that listings of these days are as long as was asked for: in the hour that comes again no train leaves. */
export function testChangingClocks(dates: readonly string[]): void {
  test.each(dates)(
    'createTimetable() finds the requested number of journeys with a change around %s, when the clocks change',
    (date) => {
      const { trains } = createTimetable({ seed: 3 });
      const changing = { carrier: 'renfe', origin: '7156312', destination: '7178400' } as const;
      for (const journeys of [0, 7, 104, 105, 106]) {
        expect(trains({ ...changing, date, journeys })).toHaveLength(journeys);
      }
    },
  );
}
