import { createTimetable, type Train, type TrainRun } from '@ticketing/carrier-sim';
import {
  addDays,
  createJourney,
  createLocalClock,
  type Journey,
  mergeJourneys,
  type Place,
  type RideLeg,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stationTable } from '../../src/index.ts';

const clock = createLocalClock();
const MINUTE_MS = 60_000;
const { trains: trainsOf } = createTimetable({ seed: 1 });
const pairs = [
  ['7160000', '7171801'],
  ['8101003', '8020347'],
  ['8768600', '8301700'],
  ['7015400', '8727100'],
  ['8503000', '8507000'],
] as const;

/** The trains of each pair and day, also of a day on which they leave every few minutes, and around midnight. */
const timetables = pairs.flatMap(([origin, destination]) =>
  [undefined, 150].flatMap((journeys) =>
    ['2026-12-01', '2026-10-25'].map((date) =>
      trainsOf({ origin, destination, date, ...(journeys !== undefined && { journeys }) }),
    ),
  ),
);

const keyOf = ({ brand, number, departureMs }: TrainRun): string =>
  `${brand} ${number} ${departureMs}`;
const ridesOf = (train: Train): readonly TrainRun[] => train.connection ?? [train];

/** In what a carrier differs from others. */
const views = fc.record({
  /** Absent: it knows the UIC numbers. */
  system: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  name: fc.constantFrom<(name: string) => string>(
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.replace(/ Hbf$/, ' Hauptbahnhof'),
    (name) => `${name.replace(/ Hbf$/, '')} (Bahnhof)`,
  ),
  /** Metres to the north. */
  off: fc.integer({ min: -140, max: 140 }),
  day: fc.constantFrom<(date: string, hour: number) => string | undefined>(
    () => undefined,
    (date) => date,
    (date, hour) => (hour < 5 ? addDays(date, -1) : date),
  ),
  minutesLate: fc.integer({ min: 0, max: 3 }),
  brand: fc.constantFrom<(brand: string) => string | undefined>(
    () => undefined,
    (brand) => brand.toLowerCase(),
    (brand) => `${brand} X`,
  ),
  share: fc.constantFrom(2, 3, 5),
});
type View = typeof views extends fc.Arbitrary<infer Value> ? Value : never;

function placeOf(uic: string, { system, name, off }: View): Place {
  const station = stationTable.byId(`uic:${uic}`);
  if (station === undefined) throw new Error(`no station ${uic}`);
  return {
    id: system === undefined ? station.id : `${system}:${uic.slice(1)}`,
    name: name(station.name),
    latitude: station.latitude + off / 111_195,
    longitude: station.longitude,
    zone: station.zone,
  };
}

function journeyOf(train: Train, source: string, view: View, places: Map<string, Place>): Journey {
  const legs = ridesOf(train).map((run, index): RideLeg => {
    const [from, to] = [placeOf(run.origin, view), placeOf(run.destination, view)];
    for (const place of [from, to]) places.set(place.id, place);
    // Of the second train the connection must hold.
    const late = index === 0 ? view.minutesLate * MINUTE_MS : 0;
    const departure = clock.fromEpoch(run.departureMs + late, from.zone ?? 'UTC');
    const at = (ms: number, { zone = 'UTC' }: Place) =>
      clock.fromEpoch(ms + late + (run.delayMinutes ?? 0) * MINUTE_MS, zone);
    const [date, time = ''] = departure.iso.split('T');
    const operatingDay = view.day(date ?? '', Number(time.slice(0, 2)));
    const brand = view.brand(run.brand);
    return {
      kind: 'ride',
      origin: from.id,
      destination: to.id,
      departure,
      arrival: clock.fromEpoch(run.arrivalMs + late, to.zone ?? 'UTC'),
      // Some connections hold only as things are.
      expectedDeparture: at(run.departureMs, from),
      expectedArrival: at(run.arrivalMs, to),
      number: run.number.replace(/^0+/, ''),
      ...(brand !== undefined && { brand }),
      ...(operatingDay !== undefined && { operatingDay }),
    };
  });
  const total = { amount: 1, currency: 'EUR' };
  const offer = { id: ridesOf(train).map(keyOf).join(), seller: source, total, fetchedAt: 1 };
  return createJourney({
    source,
    legs,
    offers: [{ ...offer, travelClass: 'any', flexibility: 'unknown' }],
  });
}

test('a train of the timetable is one journey, whatever numbers, names and days its carriers have for it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...timetables),
      fc.array(views, { minLength: 2, maxLength: 4 }),
      (timetable, carriers) => {
        const places = new Map<string, Place>();
        const listed = new Map<string, string[]>();
        const journeys = carriers.flatMap((view, index) =>
          timetable
            .filter((_train, row) => row % view.share !== index)
            .map((train) => {
              const key = ridesOf(train).map(keyOf).join();
              const source = `carrier-${index}`;
              listed.set(key, [...(listed.get(key) ?? []), source]);
              return journeyOf(train, source, view, places);
            }),
        );
        const merged = mergeJourneys(journeys, { places: places.values() });
        // None is merged wrongly: all offers of a journey are for one train.
        const found = merged.map(({ offers, sources }) => {
          const trains = [...new Set(offers.map(({ id }) => id))];
          return `${trains.join(' and ')}: ${sources.join()}`;
        });
        const right = [...listed].map(([key, sources]) => `${key}: ${sources.join()}`);
        expect(found.sort()).toEqual(right.sort());
      },
    ),
    { numRuns: 200 },
  );
});

test('the timetables have trains of one brand within ten minutes, and trains around midnight', () => {
  const gaps = timetables.flatMap((trains) =>
    trains.flatMap((train, index) =>
      trains
        .slice(index + 1)
        .filter(({ brand }) => brand === train.brand)
        .map(({ departureMs }) => departureMs - train.departureMs),
    ),
  );
  expect(gaps.filter((ms) => ms > 0 && ms < 10 * MINUTE_MS).length).toBeGreaterThan(100);
});
