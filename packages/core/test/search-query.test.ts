import {
  createSearch as createSearchOf,
  RailError,
  type SearchOptions,
  type SearchQuery,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { carrier, madrid, NOW, query } from './trains.ts';

const silent = carrier('silent', async () => []);
const createSearch = (options: Partial<SearchOptions> = {}) =>
  createSearchOf({ carriers: [silent], now: () => NOW, ...options });

test.each<[string, Partial<Record<keyof SearchQuery, unknown>>, string]>([
  ['origin', { origin: undefined }, '`origin` must be a station, got undefined'],
  ['origin', { origin: 'Madrid' }, '`origin` must be a station, got Madrid'],
  ['origin', { origin: {} }, '`origin` must be a station, got an object'],
  [
    'origin',
    { origin: { ...madrid, zone: 'Europe/Madird' } },
    '`origin` must be a station with an IANA time zone, got Europe/Madird',
  ],
  ['destination', { destination: null }, '`destination` must be a station, got null'],
  [
    'destination',
    { destination: { id: 'x:1' } },
    '`destination` must be a station with an IANA time zone, got undefined',
  ],
  [
    'destination',
    { destination: madrid },
    '`destination` must be a station other than the origin, got uic:7160000',
  ],
  [
    'date',
    { date: '2026-02-30' },
    '`date` must be a day of the calendar as YYYY-MM-DD, got 2026-02-30',
  ],
  [
    'date',
    { date: undefined },
    '`date` must be a day of the calendar as YYYY-MM-DD, got undefined',
  ],
  [
    'date',
    { date: Object.create(null) },
    '`date` must be a day of the calendar as YYYY-MM-DD, got an object',
  ],
  [
    'date',
    { date: '2026-11-29' },
    '`date` must be a day from 2026-11-30 (today at the origin) to 2027-12-01, got 2026-11-29',
  ],
  [
    'date',
    { date: '2027-12-02' },
    '`date` must be a day from 2026-11-30 (today at the origin) to 2027-12-01, got 2027-12-02',
  ],
  [
    'passengers',
    { passengers: 0 },
    '`passengers` must be an integer from 1 to 9, or a list of as many passengers, got 0',
  ],
  [
    'passengers',
    { passengers: 10 },
    '`passengers` must be an integer from 1 to 9, or a list of as many passengers, got 10',
  ],
  [
    'passengers',
    { passengers: 1.5 },
    '`passengers` must be an integer from 1 to 9, or a list of as many passengers, got 1.5',
  ],
  [
    'passengers',
    { passengers: '2' },
    '`passengers` must be an integer from 1 to 9, or a list of as many passengers, got 2',
  ],
  [
    'passengers',
    { passengers: [] },
    '`passengers` must be an integer from 1 to 9, or a list of as many passengers, got an object',
  ],
  ['passengers[1]', { passengers: [{}, 8] }, '`passengers[1]` must be an object, got 8'],
  [
    'passengers[0].age',
    { passengers: [{ age: 121 }] },
    '`passengers[0].age` must be an integer from 0 to 120, got 121',
  ],
  [
    'passengers[0].age',
    { passengers: [{ age: '8' }] },
    '`passengers[0].age` must be an integer from 0 to 120, got 8',
  ],
  [
    'passengers[0].cards',
    { passengers: [{ cards: 'BC50' }] },
    '`passengers[0].cards` must be a list of at most 8 codes of 1 to 40 characters, got BC50',
  ],
  [
    'passengers[0].cards',
    { passengers: [{ cards: [''] }] },
    '`passengers[0].cards` must be a list of at most 8 codes of 1 to 40 characters, got an object',
  ],
  ['time', { time: '24:00' }, '`time` must be a time of day as HH:MM, got 24:00'],
  ['time', { time: 7 }, '`time` must be a time of day as HH:MM, got 7'],
  ['time', { time: '7:30' }, '`time` must be a time of day as HH:MM, got 7:30'],
  ['time', { arriveBy: true }, '`time` must be given with `arriveBy`, got undefined'],
  ['arriveBy', { time: '07:30', arriveBy: 'yes' }, '`arriveBy` must be true or false, got yes'],
  ['stops', { stops: 1 }, '`stops` must be true or false, got 1'],
  ['via', { via: 'Zaragoza' }, '`via` must be a station, got Zaragoza'],
  ['via', { via: madrid }, '`via` must be a station other than the ends, got uic:7160000'],
  ['maxTransfers', { maxTransfers: 9 }, '`maxTransfers` must be an integer from 0 to 8, got 9'],
  ['maxTransfers', { maxTransfers: -1 }, '`maxTransfers` must be an integer from 0 to 8, got -1'],
  ['travelClass', { travelClass: 'any' }, '`travelClass` must be first or second, got any'],
  [
    'origin',
    { origin: { ...madrid, members: [] } },
    '`origin` must be a group of 1 to 50 stations, got an object',
  ],
  [
    'origin.members[0]',
    { origin: { ...madrid, id: 'city:es:madrid', members: ['Madrid'] } },
    '`origin.members[0]` must be a station, got Madrid',
  ],
  [
    'destination',
    { destination: { ...madrid, id: 'city:es:madrid', members: [madrid, madrid] } },
    '`destination` must be a station other than the origin, got city:es:madrid',
  ],
])('search() refuses a query with a wrong %s: %o', async (parameter, wrong, message) => {
  const search = createSearch();
  const bad = { ...query, ...wrong } as SearchQuery;
  const error = await search.search(bad).catch((thrown: unknown) => thrown);
  expect(RailError.is(error)).toBe(true);
  expect(error).toMatchObject({
    code: 'ERR_BAD_QUERY',
    message: `Cannot search: ${message}`,
    data: { parameter },
  });
  expect(() => search.stream(bad)).toThrow(`Cannot search: ${message}`);
  expect(search.stats()).toMatchObject({ running: 0, complete: 0, partial: 0, aborted: 0 });
});

test('search() takes today of the zone of the origin for the first day', async () => {
  const auckland = { ...madrid, id: 'x:auckland', zone: 'Pacific/Auckland' };
  const honolulu = { ...madrid, id: 'x:honolulu', zone: 'Pacific/Honolulu' };
  const noon = Date.UTC(2026, 10, 30, 12);
  const search = createSearch({ now: () => noon });
  const fromAuckland = { origin: auckland, destination: honolulu };
  await search.search({ ...fromAuckland, date: '2026-12-01' });
  await expect(search.search({ ...fromAuckland, date: '2026-11-30' })).rejects.toThrow(
    'from 2026-12-01',
  );
  await search.search({ origin: honolulu, destination: auckland, date: '2026-11-30' });
  await search.search({ ...query, date: '2026-11-30', passengers: 9 });
  await search.search({ ...query, date: '2027-12-01' });
});
