import { expect, test } from 'vitest';
import { openStations } from '../src/index.ts';
import { book } from './book.ts';

test.each<[options: unknown, message: string]>([
  [null, 'Cannot open stations: `options` must be an object, got null'],
  ['ES', 'Cannot open stations: `options` must be an object, got ES'],
  [
    { country: ['ES'] },
    'Cannot open stations: unknown option `country`; did you mean `countries`?',
  ],
  [{ countries: 'ES' }, 'Cannot open stations: `countries` must be a list of texts, got ES'],
  [{ index: 1 }, 'Cannot open stations: `index` must be true or false, got 1'],
])('openStations(%j) throws', async (options, message) => {
  await expect(openStations(options as never)).rejects.toThrow(new TypeError(message));
});

test.each([
  [['ES', 'XX'], 'XX'],
  [[], 'none'],
])('openStations() refuses countries without stations: %j', async (countries, got) => {
  await expect(openStations({ countries, index: false })).rejects.toThrow(
    /^Cannot open stations: `countries` must be some of AD, AT, BE, .*, UA, got /,
  );
  await expect(openStations({ countries, index: false })).rejects.toThrow(`, got ${got}`);
});

const SELLERS =
  'atoc, benerail, db, entur, hkx, leoexpress, ntv, obb, ouigoFr, renfe, sbb, sncf, trenitalia, westbahn';
const POINT = 'a point with latitude -90 to 90 and longitude -180 to 180';

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [null, TypeError, '`options` must be an object, got null'],
  [
    { max: 5 },
    TypeError,
    'unknown option `max`; known are limit, near, countries, sellers, language',
  ],
  [{ limit: 0 }, RangeError, '`limit` must be an integer of 1 to 100, got 0'],
  [{ limit: 101 }, RangeError, '`limit` must be an integer of 1 to 100, got 101'],
  [{ limit: '5' }, TypeError, '`limit` must be an integer of 1 to 100, got 5'],
  [{ near: [48, 2] }, TypeError, `\`near\` must be ${POINT}, got 48,2`],
  [
    { near: { latitude: 91, longitude: 0 } },
    TypeError,
    `\`near\` must be ${POINT}, got [object Object]`,
  ],
  [{ countries: 'ES' }, TypeError, '`countries` must be a list of texts, got ES'],
  [{ sellers: ['renf'] }, TypeError, `\`sellers\` must be some of ${SELLERS}, got renf`],
  [{ language: 5 }, TypeError, '`language` must be a text, got 5'],
])('suggest(text, %j) throws', (options, errorClass, message) => {
  expect(() => book.suggest('madrid', options as never)).toThrow(
    new errorClass(`Cannot suggest stations: ${message}`),
  );
});

test.each<[point: unknown, options: unknown, errorClass: typeof TypeError, message: string]>([
  [undefined, {}, TypeError, `\`point\` must be ${POINT}, got undefined`],
  [
    { latitude: Number.NaN, longitude: 0 },
    {},
    TypeError,
    `\`point\` must be ${POINT}, got [object Object]`,
  ],
  [
    { latitude: 0, longitude: 0 },
    { radiusKm: 501 },
    RangeError,
    '`radiusKm` must be 0 to 500, got 501',
  ],
  [
    { latitude: 0, longitude: 0 },
    { radius: 5 },
    TypeError,
    'unknown option `radius`; did you mean `radiusKm`?',
  ],
  [
    { latitude: 0, longitude: 0 },
    { limit: 1.5 },
    RangeError,
    '`limit` must be an integer of 1 to 100, got 1.5',
  ],
])('near(%j, %j) throws', (point, options, errorClass, message) => {
  expect(() => book.near(point as never, options as never)).toThrow(
    new errorClass(`Cannot find stations: ${message}`),
  );
});

test.each([
  '',
  'uic',
  'uic:',
  'toString:1',
  '__proto__:x',
  'city:',
  'city:es:',
  'UIC:7160000',
  7,
  null,
  {},
])('byId(%j) and membersOf() know nothing of it', (id) => {
  expect(book.byId(id as never)).toBeUndefined();
  expect(book.membersOf(id as never)).toEqual([]);
});

test.each([
  ['', ''],
  ['uic', ''],
  ['uic', '716000'],
  ['uic', '7160000 '],
  ['ibnr', '='],
  ['renfe', ''],
  ['__proto__', '1'],
  ['uic8', '716000'],
  [7, 7],
  [undefined, undefined],
])('byCode(%j, %j) is undefined', (system, code) => {
  expect(book.byCode(system as never, code as never)).toBeUndefined();
});
