import { expect, test } from 'vitest';
import { createGtfsCarrier, readGtfs } from '../src/index.ts';
import { smallFeed, zipFeed } from './zip-feed.ts';

const bytes = zipFeed(smallFeed);
const feed = await readGtfs(bytes);
const MODES = 'train, bus, tram, metro, ferry, other';

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [null, TypeError, '`options` must be an object, got null'],
  [{ mode: ['train'] }, TypeError, 'unknown option `mode`; did you mean `modes`?'],
  [{ modes: ['plane'] }, TypeError, `\`modes\` must be some of ${MODES}, got plane`],
  [{ modes: [] }, TypeError, `\`modes\` must be some of ${MODES}, got []`],
  [{ from: '1.12.2026' }, TypeError, '`from` must be a day as YYYY-MM-DD, got 1.12.2026'],
  [{ days: 401 }, RangeError, '`days` must be an integer of 1 to 400, got 401'],
  [{ days: 7 }, TypeError, '`from` must be given beside `days`, got undefined'],
  [{ changeMinutes: -1 }, RangeError, '`changeMinutes` must be an integer of 0 to 120, got -1'],
  [{ maxStopTimes: 0 }, RangeError, '`maxStopTimes` must be an integer of 1 to 200000000, got 0'],
  [{ maxRatio: 0.5 }, RangeError, '`maxRatio` must be an integer of 1 to 1000000, got 0.5'],
  [{ signal: 1 }, TypeError, '`signal` must be an AbortSignal, got 1'],
])('readGtfs(bytes, %j) throws', async (options, errorClass, message) => {
  await expect(readGtfs(bytes, options as never)).rejects.toThrow(
    new errorClass(`Cannot read feed: ${message}`),
  );
});

test.each([undefined, 7, {}, new ArrayBuffer(8)])('readGtfs(%s) throws', async (source) => {
  await expect(readGtfs(source as never)).rejects.toThrow(
    /^Cannot read feed: `source` must be bytes, a path or a file URL, got /,
  );
});

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [null, TypeError, '`options` must be an object, got null'],
  [
    { name: 'X', feed },
    TypeError,
    '`id` must be a name of letters, digits, `.`, `_` and `-`, got undefined',
  ],
  [
    { id: 'a b', name: 'X', feed },
    TypeError,
    '`id` must be a name of letters, digits, `.`, `_` and `-`, got a b',
  ],
  [{ id: 'x', feed }, TypeError, '`name` must be a text, got undefined'],
  [
    { id: 'x', name: 'X' },
    TypeError,
    '`feed` must be a feed of readGtfs(), or a function that reads one, got undefined',
  ],
  [
    { id: 'x', name: 'X', feed: 'feed.zip' },
    TypeError,
    '`feed` must be a feed of readGtfs(), or a function that reads one, got feed.zip',
  ],
  [
    { id: 'x', name: 'X', feed, transfers: 2 },
    TypeError,
    'unknown option `transfers`; did you mean `maxTransfers`?',
  ],
  [
    { id: 'x', name: 'X', feed, maxTransfers: 9 },
    RangeError,
    '`maxTransfers` must be an integer of 0 to 8, got 9',
  ],
  [
    { id: 'x', name: 'X', feed, maxHours: 0 },
    RangeError,
    '`maxHours` must be an integer of 1 to 72, got 0',
  ],
  [{ id: 'x', name: 'X', feed, codeOf: 'uic' }, TypeError, '`codeOf` must be a function, got uic'],
  [
    { id: 'x', name: 'X', feed, stations: {} },
    TypeError,
    '`stations` must be an object with byCode or near, got [object Object]',
  ],
])('createGtfsCarrier(%#) throws', (options, errorClass, message) => {
  expect(() => createGtfsCarrier(options as never)).toThrow(
    new errorClass(`Cannot create gtfs carrier: ${message}`),
  );
});
