import { expect, test } from 'vitest';
import { book } from './book.ts';
import { expectNear } from './near-tests.ts';

test('near() gives the stations around a point, nearest first', () => {
  const found = book.near({ latitude: 40.4065, longitude: -3.6895 }, { radiusKm: 2, limit: 3 });
  expect(found[0]?.station.id).toBe('uic:7160000');
  expect(found[0]?.km).toBeLessThan(0.2);
  expect(found).toHaveLength(3);
  expect(book.near({ latitude: 0, longitude: 0 })).toEqual([]);
  expect(book.near({ latitude: 48.844, longitude: 2.374 }).length).toBeGreaterThan(5);
});

test('near() equals a search of all stations, also where degrees of longitude are short', () => {
  expectNear(10);
});

test('near() accepts the poles and the other side of the earth', () => {
  for (const latitude of [-90, 90]) {
    expect(book.near({ latitude, longitude: 180 }, { radiusKm: 500 })).toEqual([]);
  }
  expect(book.near({ latitude: 60, longitude: -180 }, { radiusKm: 500 })).toEqual([]);
});
