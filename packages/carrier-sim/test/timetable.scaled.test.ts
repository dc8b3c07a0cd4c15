import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimetable, encodeAvlo, encodeOuigo, encodeRenfe } from '../src/index.ts';
import { addDays } from '../src/timetable/local-clock.ts';
import { stations } from '../src/timetable/network.ts';
import { servesPair } from '../src/timetable/service.ts';
import { type CarrierSimId, carrierOf, carrierSimIds } from '../src/timetable/sim-carriers.ts';
import { barcelona, madrid, madridBarcelona } from './started-sim.ts';

const minutes = (ms: number) => ms / 60_000;
const isSpanish = (carrier: CarrierSimId) => carrierOf(carrier).network === 'spain';
const wienZurich = { origin: '8101003', destination: '8503000' };
const parisZurich = { origin: '8768600', destination: '8503000' };
const uic = fc.constantFrom(...stations.map((station) => station.uic));
const day = fc.integer({ min: 0, max: 800 }).map((days) => addDays('2026-01-01', days));

const days = scaled({ fast: 10, full: 60 });

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

test('createTimetable() gives equal trains for equal queries and other trains for another seed', () => {
  fc.assert(
    fc.property(fc.string(), uic, uic, day, (seed, origin, destination, date) => {
      const query = { origin, destination, date };
      const once = createTimetable({ seed }).trains(query);
      expect(createTimetable({ seed }).trains(query)).toEqual(once);
      expect(JSON.parse(JSON.stringify(once))).toEqual(once);
    }),
    { numRuns: scaled({ fast: 20, full: 100 }) },
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
    { numRuns: scaled({ fast: 20, full: 100 }) },
  );
});

// Days of 23, 25 and 24 hours.
const dates = ['2026-03-29', '2026-10-25', '2026-12-01'];

test.each(scaled({ fast: ['2026-10-25'], full: dates }))(
  'createTimetable() lists 1,000 journeys for every carrier on %s, the clocks changing or not',
  (date) => {
    const { trains } = createTimetable({ seed: 1 });
    for (const carrier of carrierSimIds) {
      const abroad = carrier === 'navitia' ? parisZurich : wienZurich;
      const pair = isSpanish(carrier) ? madridBarcelona : abroad;
      const listed = trains({ ...pair, carrier, date, journeys: 1000 });
      expect(new Set(listed.map(({ departureMs }) => departureMs)).size).toBe(1000);
      expect(new Set(listed.map(({ number }) => number)).size).toBe(1000);
      expect(trains({ ...pair, carrier, date, journeys: 0 })).toEqual([]);
    }
    const changing = { carrier: 'renfe', origin: barcelona, destination: '7151003' } as const;
    expect(trains({ ...changing, date, journeys: 1000 })).toHaveLength(1000);
  },
);

// In the hour that comes again no train leaves.
test.each(scaled({ fast: ['2026-10-25'], full: ['2026-10-24', '2026-10-25', '2027-10-31'] }))(
  'createTimetable() finds the requested number of journeys with a change around %s, when the clocks change',
  (date) => {
    const { trains } = createTimetable({ seed: 3 });
    const changing = { carrier: 'renfe', origin: '7156312', destination: '7178400' } as const;
    for (const journeys of [0, 7, 104, 105, 106]) {
      expect(trains({ ...changing, date, journeys })).toHaveLength(journeys);
    }
  },
);

test('createTimetable() places the first train at 06:15 on the local clocks around both changes', () => {
  const { trains } = createTimetable({ seed: 1 });
  const first = (date: string) =>
    new Date(trains({ ...madridBarcelona, date })[0]?.departureMs ?? 0).toISOString();
  expect(first('2026-03-28')).toBe('2026-03-28T05:15:00.000Z');
  expect(first('2026-03-29')).toBe('2026-03-29T04:15:00.000Z');
  expect(first('2026-10-24')).toBe('2026-10-24T04:15:00.000Z');
  expect(first('2026-10-25')).toBe('2026-10-25T05:15:00.000Z');
});

test('createTimetable() numbers trains odd away from Madrid and even towards it', () => {
  const { trains } = createTimetable({ seed: 1 });
  const back = { ...madridBarcelona, origin: barcelona, destination: madrid };
  expect(trains(madridBarcelona).every(({ number }) => Number(number) % 2 === 1)).toBe(true);
  expect(trains(back).every(({ number }) => Number(number) % 2 === 0)).toBe(true);
});

test('createTimetable() sells one Avlo train by two sellers, at the known running time', () => {
  const avlo = createTimetable({ seed: 1 })
    .trains(madridBarcelona)
    .filter(({ brand }) => brand === 'AVLO');
  for (const train of avlo) {
    expect(train.sellers).toEqual(['renfe', 'avlo']);
    expect(minutes(train.arrivalMs - train.departureMs)).toBe(160);
  }
});

test('createTimetable() lets two competitors leave in the same minute', () => {
  const [first, second] = createTimetable({ seed: 1 }).trains(madridBarcelona);
  expect([first?.operator, second?.operator]).toEqual(['renfe', 'ouigo']);
  expect(first?.departureMs).toBe(second?.departureMs);
});

test('createTimetable() joins two real trains with a change of 25-90 minutes where none is direct', () => {
  const { trains } = createTimetable({ seed: 1 });
  const sevilla = '7151003';
  const date = '2026-12-01';
  const journeys = trains({ origin: barcelona, destination: sevilla, date });
  const firsts = trains({ carrier: 'renfe', origin: barcelona, destination: madrid, date });
  const seconds = trains({ carrier: 'renfe', origin: madrid, destination: sevilla, date });
  expect(journeys.length).toBeGreaterThan(2);
  for (const { connection, ...journey } of journeys) {
    const [first, second] = connection ?? [];
    const change = minutes((second?.departureMs ?? 0) - (first?.arrivalMs ?? 0));
    expect(change).toBeGreaterThanOrEqual(25);
    expect(change).toBeLessThanOrEqual(90);
    expect(firsts).toContainEqual(expect.objectContaining(first));
    expect(seconds).toContainEqual(expect.objectContaining(second));
    expect(journey.arrivalMs).toBe(second?.arrivalMs);
  }
});

test('createTimetable() returns nothing for a pair without trains, such as a station and itself', () => {
  const { trains } = createTimetable({ seed: 1 });
  for (const pair of [
    { origin: '7113200', destination: barcelona },
    { origin: madrid, destination: madrid },
    { origin: madrid, destination: '0000000' },
    { origin: madrid, destination: 'constructor' },
  ]) {
    expect(trains({ ...pair, date: '2026-12-01' })).toEqual([]);
  }
});

test('encodeRenfe(), encodeOuigo() and encodeAvlo() give equal bytes for equal trains', () => {
  const { trains } = createTimetable({ seed: 'x' });
  for (const encode of [encodeRenfe, encodeOuigo, encodeAvlo]) {
    expect(encode(trains(madridBarcelona))).toBe(encode(trains(madridBarcelona)));
  }
});

test('every station of the network has a journey to Madrid or Barcelona and its own code on each wire', () => {
  const hubs = [madrid, '7117000', barcelona];
  for (const { uic: origin } of stations.filter(({ uic }) => !hubs.includes(uic))) {
    expect(hubs.some((destination) => servesPair('renfe', { origin, destination }))).toBe(true);
  }
  for (const code of ['uic', 'renfeCode', 'ouigoCode', 'avloId'] as const) {
    const codes = stations.map((station) => station[code]).filter((each) => each !== undefined);
    expect(new Set(codes).size).toBe(codes.length);
  }
});
