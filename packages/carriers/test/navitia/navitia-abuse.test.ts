import { expect, test } from 'vitest';
import { createNavitia } from '../../src/index.ts';
import { options } from './navitia-answers.ts';

const anId = '`id` must be a name of letters, digits, `.`, `_` and `-`';
const aRegion = '`coverage` must be the name of a region, of letters, digits, `.`, `_` and `-`';
const aStop = '`stopArea` must be a text before the UIC number, or a function';

test.each<[options: object, message: string]>([
  [{ id: undefined }, `${anId}, got undefined`],
  [{ name: '' }, "`name` must be a text, got ''"],
  [{ baseUrl: 'x' }, '`baseUrl` must be an http or https URL, got x'],
  [{ coverage: undefined }, `${aRegion}, got undefined`],
  [{ coverage: '../fr' }, `${aRegion}, got ../fr`],
  [{ coverage: '..' }, `${aRegion}, got ..`],
  [{ zone: 'Europe/Lutece' }, '`zone` must be an IANA time zone, got Europe/Lutece'],
  [{ stopArea: undefined }, `${aStop}, got undefined`],
  [{ stopArea: 'stop area' }, `${aStop}, got stop area`],
  [{ headers: {} }, '`headers` must be a function, got [object Object]'],
  [{ results: '4' }, '`results` must be an integer of 1 to 50, got 4'],
  [{ freshness: 'adapted' }, '`freshness` must be `base_schedule` or `realtime`, got adapted'],
  [{ currency: 'euro' }, '`currency` must be a currency code of three capital letters, got euro'],
  [{ coverages: 'x' }, 'unknown option `coverages`; did you mean `coverage`?'],
])('createNavitia(%j) is refused', (wrong, message) => {
  expect(() => createNavitia({ ...options, ...wrong })).toThrow(
    new TypeError(`Cannot create navitia: ${message}`),
  );
});

test.each<[options: object, message: string]>([
  [{ results: 0 }, '`results` must be an integer of 1 to 50, got 0'],
  [{ maxPages: 21 }, '`maxPages` must be an integer of 1 to 20, got 21'],
])('createNavitia(%j) is out of range', (wrong, message) => {
  expect(() => createNavitia({ ...options, ...wrong })).toThrow(
    new RangeError(`Cannot create navitia: ${message}`),
  );
});

test('options that are undefined are as if absent; the id is yours', () => {
  const absent = {
    headers: undefined,
    results: undefined,
    freshness: undefined,
    currency: undefined,
  };
  const carrier = createNavitia({ ...options, ...absent, id: 'sncf', name: 'SNCF' });
  expect(carrier).toMatchObject({
    id: 'sncf',
    name: 'SNCF',
    capabilities: {
      window: 'page',
      prices: 'some',
      stationSystem: 'uic',
      native: ['time', 'arriveBy', 'maxTransfers'],
    },
  });
});
