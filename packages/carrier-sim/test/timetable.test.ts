import { expect, test } from 'vitest';
import { createTimetable, encodeAvlo, encodeOuigo, encodeRenfe } from '../src/index.ts';
import { stations } from '../src/timetable/network.ts';
import { servesPair } from '../src/timetable/service.ts';
import { barcelona, madrid, madridBarcelona } from './started-sim.ts';
import { testChangingClocks, testDays, testListings, testThousands } from './timetable-cases.ts';

const minutes = (ms: number) => ms / 60_000;

testDays(10);
testListings(20);
// A day of 25 hours; those of 23 and of 24 are in `test/full`.
testThousands(['2026-10-25']);
testChangingClocks(['2026-10-25']);

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
