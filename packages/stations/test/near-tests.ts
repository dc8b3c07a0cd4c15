import { expect } from 'vitest';
import { distanceKm } from '../src/nearby.ts';
import { book, table } from './book.ts';
import { randomFrom } from './suggest-tests.ts';

/** Compares `near` with a look at all stations, around so many points. */
export function expectNear(points: number): void {
  const random = randomFrom(11);
  for (let round = 0; round < points; round++) {
    const point = { latitude: 36 + 34 * random(), longitude: -9 + 40 * random() };
    const within = { radiusKm: 500 * random() ** 3, limit: 1 + Math.floor(100 * random()) };
    const expected: { id: string; km: number }[] = [];
    for (let row = 0; row < table.length; row++) {
      const km = distanceKm(table, row, point);
      if (!table.isGroup(row) && km <= within.radiusKm) expected.push({ id: table.idOf(row), km });
    }
    expected.sort((one, other) => one.km - other.km);
    const found = book.near(point, within).map(({ station, km }) => ({ id: station.id, km }));
    expect(found.map(({ km }) => km)).toEqual(expected.slice(0, within.limit).map(({ km }) => km));
  }
}
