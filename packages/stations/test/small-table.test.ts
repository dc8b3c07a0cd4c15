import { cities, stations as small } from '@ticketing/carriers';
import { expect, test } from 'vitest';
import { book } from './book.ts';

/** Codes of the small table that its simulator made up, or that are of a system that the book has not. */
const INVENTED = new Set(['uic:9431039 renfe']);
const KM_PER_DEGREE = 111.2;

test('the small table of carriers and the book agree: ids, codes, and places within 500 m', () => {
  expect(small.length).toBeGreaterThan(40);
  for (const { id, codes, country, zone, latitude, longitude } of small) {
    const station = book.byId(id);
    expect(station, id).toMatchObject({ country, zone });
    if (station === undefined) continue;
    for (const [system, code] of Object.entries(codes)) {
      const own = station.codes[system];
      if (own === undefined || INVENTED.has(`${id} ${system}`)) continue;
      expect(own, `${system} of ${id}`).toBe(code);
      expect(book.byCode(system, code), `${system}:${code}`).toBe(station);
    }
    const east = (longitude - station.longitude) * Math.cos((latitude * Math.PI) / 180);
    const km = KM_PER_DEGREE * Math.hypot(latitude - station.latitude, east);
    expect(km, id).toBeLessThan(0.5);
  }
});

test('the small table of carriers and the book agree: each name is found, first or in its city', () => {
  for (const { id, name } of small) {
    const ids = book.suggest(name, { limit: 3 }).map((one) => one.id);
    const members = ids.flatMap((each) => book.membersOf(each).map((one) => one.id));
    expect([...ids, ...members], name).toContain(id);
  }
});

test('the cities of the small table are the cities of the book: ids, names, and stations among theirs', () => {
  expect(cities.map(({ name }) => name)).toContain('Madrid');
  for (const { id, name, country, zone, members } of cities) {
    expect(book.byId(id), id).toMatchObject({ id, name, country, zone });
    const ids = book.membersOf(id).map((one) => one.id);
    expect(members.length).toBeGreaterThan(1);
    expect(ids, id).toEqual(expect.arrayContaining(members.map((one) => one.id)));
  }
});
