import { createTimetable, type Train } from '@ticketing/carrier-sim';
import { createGtfsZip } from '@ticketing/carrier-sim/gtfs';
import { expect, test } from 'vitest';
import { readGtfs } from '../src/index.ts';
import { ask, carrierOf, stationOf } from './ask.ts';

const feed = await readGtfs(createGtfsZip({ from: '2026-10-01', days: 300 }));
const carrier = carrierOf(feed, { maxTransfers: 0 });
const timetable = createTimetable({ seed: 1 });
const ZONES: Readonly<Record<string, string>> = {
  70: 'Europe/London',
  80: 'Europe/Berlin',
  81: 'Europe/Vienna',
  83: 'Europe/Rome',
  85: 'Europe/Zurich',
  87: 'Europe/Paris',
};
const zoneOf = (uic: string): string => ZONES[uic.slice(0, 2)] as string;

function textOf(train: Pick<Train, 'number' | 'departureMs' | 'arrivalMs'>): string {
  return `${train.number} ${train.departureMs} ${train.arrivalMs}`;
}

test.each([
  ['8768600', '8301700'],
  ['8503000', '8507000'],
  ['8101003', '8503000'],
  ['8020347', '8101003'],
  ['7015400', '8727100'],
  ['8727100', '7015400'],
  ['8768600', '8503000'],
  ['8503000', '8768600'],
])(
  'the timetable of the simulator as a feed gives its trains from %s to %s, also around clock changes',
  async (origin, destination) => {
    let count = 0;
    for (const date of ['2026-10-24', '2026-10-25', '2026-12-01', '2027-03-27', '2027-03-28']) {
      const truth = timetable
        .trains({ origin, destination, date })
        .filter(({ connection }) => connection === undefined);
      const { journeys } = await ask(carrier, {
        origin: stationOf(origin, zoneOf(origin)),
        destination: stationOf(destination, zoneOf(destination)),
        date,
      });
      const found = journeys.map(({ legs: [leg], departure, arrival }) => {
        const number = leg?.kind === 'ride' ? (leg.number as string) : '';
        return textOf({ number, departureMs: departure.ms, arrivalMs: arrival.ms });
      });
      const known = truth.map(textOf);
      expect(found.filter((one) => !known.includes(one))).toEqual([]);
      // A train that another one overtakes is no answer.
      const overtaken = truth.filter((train) =>
        truth.some(
          (other) =>
            other !== train &&
            other.departureMs >= train.departureMs &&
            other.arrivalMs <= train.arrivalMs,
        ),
      );
      const expected = truth.filter((train) => !overtaken.includes(train)).map(textOf);
      expect(found).toEqual(expected);
      count += found.length;
    }
    expect(count).toBeGreaterThan(10);
  },
);

test('a feed depends on its options alone, and checks them', () => {
  const options = { from: '2026-12-01', days: 10 };
  expect(Buffer.compare(createGtfsZip(options), createGtfsZip(options))).toBe(0);
  expect(() => createGtfsZip({ from: '2026-02-30' })).toThrow(
    new TypeError('Cannot create feed: `from` must be a day such as 2026-12-01, got 2026-02-30'),
  );
});
