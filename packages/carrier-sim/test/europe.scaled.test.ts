import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { europeanCarriers, europeanOperators } from '../src/timetable/europe/carriers.ts';
import {
  type EuropeanSeller,
  europeanChanges,
  europeanLines,
} from '../src/timetable/europe/lines.ts';
import { listRides, sellsPair } from '../src/timetable/europe/list-rides.ts';
import { europeanStations, sloidOf, uic8Of } from '../src/timetable/europe/stations.ts';
import { addDays, localTimeAt } from '../src/timetable/local-clock.ts';
import { stationOf, stations } from '../src/timetable/network.ts';
import { createRandom } from '../src/timetable/random.ts';
import type { Ride } from '../src/timetable/train.ts';

const sellers = Object.keys(europeanCarriers) as EuropeanSeller[];
const places = {
  paris: '8768600',
  milano: '8301700',
  wien: '8101003',
  munchen: '8020347',
  london: '7015400',
  nord: '8727100',
  zurich: '8503000',
  bern: '8507000',
} as const;
const date = '2026-12-01';

const uics: readonly string[] = europeanStations.map((station) => station.uic);
const uic = fc.constantFrom(...uics);
// Days at the clock changes come as often as all others together.
const day = fc.oneof(
  fc.constantFrom('2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25'),
  fc.integer({ min: 0, max: 800 }).map((days) => addDays('2026-01-01', days)),
);

interface Asked {
  readonly seller?: EuropeanSeller;
  readonly origin?: string;
  readonly destination?: string;
  readonly date?: string;
  readonly atLeast?: number;
}

const rides = (asked: Asked): readonly Ride[] =>
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
const clockOf = (ms: number, at: string): ReturnType<typeof localTimeAt> =>
  localTimeAt(ms, stationOf(at).zone);

const { paris, milano, wien, munchen, london, nord, zurich, bern } = places;
const salzburg = '8101114';
const direct = (asked: Asked) =>
  rides(asked)
    .filter(({ length }) => length === 1)
    .map(
      ([{ brand, number, departureMs, arrivalMs, origin, destination }]) =>
        `${brand} ${number} ${clockOf(departureMs, origin).time}-${clockOf(arrivalMs, destination).time}`,
    );

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
    { numRuns: scaled({ fast: 10, full: 100 }) },
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
    { numRuns: scaled({ fast: 10, full: 100 }) },
  );
});

test('Paris-Milano, Wien-München and London-Paris are sold by two carriers, partly the same trains', () => {
  const listed = (seller: EuropeanSeller, origin: string, destination: string) =>
    direct({ seller, origin, destination });
  const tgv = ['TGV 9241 06:44-13:49', 'TGV 9245 10:42-17:47', 'TGV 9249 14:42-21:47'];
  expect(listed('osdm', paris, milano)).toEqual(tgv);
  expect(listed('hafas', paris, milano)).toEqual(
    [...tgv, 'FR 9281 07:26-14:14', 'FR 9291 15:18-22:06'].sort(
      (a, b) =>
        Number(a.slice(-11, -6).replace(':', '')) - Number(b.slice(-11, -6).replace(':', '')),
    ),
  );
  const night = 'NJ 294 23:19-06:10';
  for (const seller of ['osdm', 'hafas'] as const) {
    expect(listed(seller, wien, munchen)).toHaveLength(8);
    expect(listed(seller, wien, munchen)).toContain(night);
    expect(listed(seller, london, nord)).toContain('EST 9002 06:01-09:18');
  }
  expect(listed('osdm', london, nord).length).toBeGreaterThan(listed('hafas', london, nord).length);
  for (const seller of ['osdm', 'ojp'] as const) {
    expect(listed(seller, zurich, bern)).toContain('IC 712 08:02-08:58');
    expect(listed(seller, '8500010', milano)).toContain('EC 57 08:28-12:32');
  }
});

test('the night train arrives on the day after, and leaves Salzburg on it', () => {
  const board = (origin: string, on: string) =>
    rides({ origin, destination: munchen, date: on }).find(([{ brand }]) => brand === 'NJ')?.[0];
  const atWien = board(wien, date);
  const atSalzburg = board(salzburg, '2026-12-02');
  expect(clockOf(atWien?.arrivalMs ?? 0, munchen).timestamp).toBe('2026-12-02T06:10:00+01:00');
  expect(clockOf(atSalzburg?.departureMs ?? 0, salzburg).timestamp).toBe(
    '2026-12-02T02:15:00+01:00',
  );
  expect(atSalzburg).toMatchObject({ number: '294', arrivalMs: atWien?.arrivalMs });
  expect(atSalzburg?.seatsLeft).toBe(atWien?.seatsLeft);
});

test('trains leave at the same local time on both sides of a clock change, and run as long over it', () => {
  for (const [before, after] of [
    ['2026-03-28', '2026-03-29'],
    ['2026-10-24', '2026-10-25'],
  ] as const) {
    const times = (on: string) => direct({ origin: london, destination: nord, date: on });
    expect(times(before)).toEqual(times(after));
    const [night] = rides({ origin: wien, destination: munchen, date: before }).at(-1) ?? [];
    expect((night?.arrivalMs ?? 0) - (night?.departureMs ?? 0)).toBe(411 * 60_000);
  }
  const arrivals = ['2026-03-28', '2026-10-24'].map((on) => {
    const [night] = rides({ origin: wien, destination: munchen, date: on }).at(-1) ?? [];
    return clockOf(night?.arrivalMs ?? 0, munchen).timestamp;
  });
  expect(arrivals).toEqual(['2026-03-29T07:10:00+02:00', '2026-10-25T05:10:00+01:00']);
});

test('London-Milano changes in Paris, from one station to another', () => {
  const listed = rides({ origin: london, destination: milano });
  expect(listed.length).toBeGreaterThan(0);
  for (const [first, second] of listed) {
    expect([first.destination, second?.origin]).toEqual([nord, paris]);
  }
});

test.each(['2026-03-29', '2026-10-25', date])(
  'a plan gets as many journeys as it wants on %s, by one train or by two',
  (on) => {
    for (const atLeast of [0, 7, 300, 1000]) {
      const found = (origin: string, destination: string) =>
        rides({ origin, destination, date: on, atLeast });
      for (const listed of [found(zurich, bern), found(london, milano)]) {
        expect(listed.length).toBeGreaterThanOrEqual(atLeast);
        expect(new Set(listed.map(([{ departureMs }]) => departureMs)).size).toBe(listed.length);
      }
    }
  },
);

test('fares are whole hundredths: OSDM in francs or euros, HAFAS in euros where it knows one, OJP none', () => {
  const faresOf = (seller: EuropeanSeller, operator: 'sbb' | 'sncf') =>
    Array.from({ length: 60 }, (_, index) =>
      europeanCarriers[seller].fares?.(
        { minutes: 120, seatsLeft: 9, brands: ['EC'], operator },
        createRandom(`${seller}/${index}`),
      ),
    );
  const currencies = (seller: EuropeanSeller, operator: 'sbb' | 'sncf') =>
    new Set(faresOf(seller, operator).flatMap((fares) => fares?.map(({ currency }) => currency)));
  expect(currencies('osdm', 'sbb')).toEqual(new Set(['CHF']));
  expect(currencies('osdm', 'sncf')).toEqual(new Set([undefined]));
  const unpriced = faresOf('hafas', 'sncf').filter((fares) => fares?.length === 0);
  expect(unpriced.length).toBeGreaterThan(3);
  expect(unpriced.length).toBeLessThan(30);
  expect(europeanCarriers.ojp.fares).toBeUndefined();
  for (const fares of [...faresOf('osdm', 'sbb'), ...faresOf('hafas', 'sncf')]) {
    const cents = fares?.map((fare) => fare.cents) ?? [];
    expect(cents.every((each) => Number.isInteger(each) && each > 0)).toBe(true);
    expect(cents).toEqual([...cents].sort((a, b) => a - b));
  }
});

test('some trains are late, few are cancelled, few are sold out', () => {
  const runs = Array.from({ length: 30 }, (_, index) =>
    rides({ origin: zurich, destination: bern, date: addDays(date, index) }).map(([run]) => run),
  ).flat();
  const share = (count: number) => count / runs.length;
  const late = share(runs.filter(({ delayMinutes }) => delayMinutes !== undefined).length);
  const cancelled = share(runs.filter((run) => run.cancelled).length);
  const soldOut = share(runs.filter((run) => run.seatsLeft === 0 && !run.cancelled).length);
  for (const [value, least, most] of [
    [late, 0.05, 0.15],
    [cancelled, 0.003, 0.03],
    [soldOut, 0.02, 0.07],
  ] as const) {
    expect(value).toBeGreaterThan(least);
    expect(value).toBeLessThan(most);
  }
});

test('every line has its stations, in order; every number is that of one train', () => {
  const numbers = europeanLines.flatMap(({ brand, outward, back }) =>
    [...Object.keys(outward), ...Object.keys(back)].map((number) => `${brand} ${number}`),
  );
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(new Set(europeanLines.map(({ operator }) => operator))).toEqual(
    new Set(Object.keys(europeanOperators)),
  );
  for (const { stops } of europeanLines) {
    expect(stops.every(([stop]) => uics.includes(stop))).toBe(true);
    const minutes = stops.map(([, each]) => each);
    expect(minutes).toEqual([...new Set(minutes)].sort((a, b) => a - b));
  }
  expect(new Set(europeanLines.flatMap(({ stops }) => stops.map(([stop]) => stop))).size).toBe(
    uics.length,
  );
});

test('stations have one code in each system, and share Lyon with the Spanish network', () => {
  for (const code of ['uic', 'ibnr'] as const) {
    const codes = europeanStations.flatMap((station) => station[code] ?? []);
    expect(new Set(codes).size).toBe(codes.length);
  }
  const shared = stations.filter((station) => uics.includes(station.uic));
  expect(shared.map(({ name }) => name)).toEqual(['Lyon Part-Dieu']);
  expect(stationOf('8772319')).toMatchObject(shared[0] ?? {});
  expect(['8768600', '8772319', '8500010', '7015400', '8301700', '8014350'].map(uic8Of)).toEqual([
    '87686006',
    '87723197',
    '85000109',
    '70154005',
    '83017004',
    '80143503',
  ]);
  expect([sloidOf('8503000'), sloidOf('8500010'), sloidOf('8301700')]).toEqual([
    'ch:1:sloid:3000',
    'ch:1:sloid:10',
    undefined,
  ]);
});
