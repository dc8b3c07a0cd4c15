import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listRides } from '../src/timetable/europe/list-rides.ts';
import { addDays, localDay } from '../src/timetable/local-clock.ts';
import type { Train } from '../src/timetable/train.ts';
import { findAround } from '../src/wires/find-around.ts';
import type { AroundQuery } from '../src/wires/wire.ts';

const [wien, munchen] = ['8101003', '8020347'];
const at = (date: string, minute: number) => localDay(date, 'Europe/Vienna').msAt(minute) ?? 0;

const known = new Map<string, readonly Train[]>();

function sold(date: string): readonly Train[] {
  const before = known.get(date);
  if (before !== undefined) return before;
  const pair = { origin: wien, destination: munchen };
  const rides = listRides({ seed: '1', seller: 'osdm', ...pair, date, atLeast: 0 });
  const trains = rides.map((ride): Train => {
    const [first] = ride;
    const { arrivalMs } = ride[1] ?? first;
    return { ...first, arrivalMs, operator: 'oebb', sellers: [], fares: [] };
  });
  known.set(date, trains);
  return trains;
}
const around = (query: Omit<AroundQuery, 'origin' | 'destination'>): readonly Train[] => {
  const found = findAround({ origin: wien, destination: munchen, ...query }, (date) => ({
    kind: 'trains',
    trains: sold(date),
  }));
  return found.kind === 'trains' ? found.trains : [];
};
const numbers = (trains: readonly Train[]) => trains.map(({ number }) => number);

test('findAround() finds the next trains after an instant, over midnight', () => {
  const [next, ...later] = around({ atMs: at('2026-12-01', 1100), direction: 'later', limit: 3 });
  expect(numbers([next as Train, ...later])).toEqual(['72', '294', '60']);
});

test('findAround() finds the last trains that arrive by an instant', () => {
  const query = { by: 'arrival', direction: 'earlier', limit: 2 } as const;
  expect(numbers(around({ ...query, atMs: at('2026-12-02', 370) }))).toEqual(['72', '294']);
  expect(numbers(around({ ...query, atMs: at('2026-12-02', 369) }))).toEqual(['70', '72']);
});

test('findAround() leaves out trains that are not accepted, and takes no more than the limit', () => {
  const night = around({
    atMs: at('2026-12-01', 0),
    direction: 'later',
    limit: 2,
    accepts: ({ brand }) => brand === 'NJ',
  });
  expect(night.map(({ date }) => date)).toEqual(['2026-12-01', '2026-12-02']);
  expect(around({ atMs: at('2026-12-01', 0), direction: 'later', limit: 0 })).toEqual([]);
});

test('findAround() on both sides of an instant finds every train, whichever end is compared', () => {
  const days = ['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25', '2026-12-01'];
  const minute = fc.integer({ min: 0, max: 1439 });
  const by = fc.constantFrom('departure' as const, 'arrival' as const);
  fc.assert(
    fc.property(fc.constantFrom(...days), minute, by, fc.nat(9), (day, each, end, limit) => {
      const atMs = at(day, each) || at(day, 240);
      const timeOf = (train: Train) => (end === 'departure' ? train.departureMs : train.arrivalMs);
      const all = [-3, -2, -1, 0, 1, 2, 3]
        .flatMap((days) => sold(addDays(day, days)))
        .sort((a, b) => timeOf(a) - timeOf(b));
      const isLater = (train: Train) => timeOf(train) >= atMs;
      const isEarlier = (train: Train) =>
        end === 'departure' ? timeOf(train) < atMs : timeOf(train) <= atMs;
      const byDeparture = (trains: readonly Train[]) =>
        [...trains].sort((a, b) => a.departureMs - b.departureMs);
      expect(around({ atMs, by: end, direction: 'later', limit })).toEqual(
        byDeparture(all.filter(isLater).slice(0, limit)),
      );
      expect(around({ atMs, by: end, direction: 'earlier', limit })).toEqual(
        byDeparture(limit === 0 ? [] : all.filter(isEarlier).slice(-limit)),
      );
    }),
  );
});

test('findAround() finds trains of the last day on sale that arrive on the day after it', () => {
  const lastDay = '2026-12-01';
  const query = { origin: wien, destination: munchen, by: 'arrival', limit: 1 } as const;
  for (const [direction, minute] of [
    ['later', 10],
    ['earlier', 600],
  ] as const) {
    const found = findAround({ ...query, direction, atMs: at('2026-12-02', minute) }, (date) =>
      date > lastDay ? { kind: 'date-not-on-sale' } : { kind: 'trains', trains: sold(date) },
    );
    expect(found).toMatchObject({ kind: 'trains', trains: [{ number: '294', date: lastDay }] });
  }
});

test('findAround() hands on why a carrier sells nothing', () => {
  const query = { origin: wien, destination: munchen, direction: 'later', limit: 5 } as const;
  const atMs = at('2026-12-01', 600);
  expect(findAround({ ...query, atMs }, () => ({ kind: 'date-not-on-sale' }))).toEqual({
    kind: 'date-not-on-sale',
  });
  expect(findAround({ ...query, origin: '1', atMs }, () => ({ kind: 'not-served' })).kind).toBe(
    'not-served',
  );
});
