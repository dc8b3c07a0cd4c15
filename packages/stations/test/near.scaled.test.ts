import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { distanceKm } from '../src/nearby.ts';
import { book, table } from './book.ts';
import { randomFrom } from './random-texts.ts';

test('near() gives the stations around a point, nearest first', () => {
  const found = book.near({ latitude: 40.4065, longitude: -3.6895 }, { radiusKm: 2, limit: 3 });
  expect(found[0]?.station.id).toBe('uic:7160000');
  expect(found[0]?.km).toBeLessThan(0.2);
  expect(found).toHaveLength(3);
  expect(book.near({ latitude: 0, longitude: 0 })).toEqual([]);
  expect(book.near({ latitude: 48.844, longitude: 2.374 }).length).toBeGreaterThan(5);
});

test('near() equals a search of all stations, also where degrees of longitude are short', () => {
  const random = randomFrom(11);
  for (let round = 0; round < scaled({ fast: 10, full: 60 }); round++) {
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
});

test('near() accepts the poles and the other side of the earth', () => {
  for (const latitude of [-90, 90]) {
    expect(book.near({ latitude, longitude: 180 }, { radiusKm: 500 })).toEqual([]);
  }
  expect(book.near({ latitude: 60, longitude: -180 }, { radiusKm: 500 })).toEqual([]);
});
