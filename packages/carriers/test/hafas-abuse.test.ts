import { hafasSimProfile } from '@ticketing/carrier-sim';
import { expect, test } from 'vitest';
import { createHafas } from '../src/index.ts';

const options = { id: 'x', name: 'X', baseUrl: 'http://127.0.0.1:1', profile: hafasSimProfile };
const bare: never = Object.create(null) as never;

const anId = '`id` must be a name of letters, digits, `.`, `_` and `-`';

test.each<[more: object, message: string]>([
  [{ id: undefined }, `${anId}, got undefined`],
  [{ id: 'a b' }, `${anId}, got a b`],
  [{ name: '' }, "`name` must be a text, got ''"],
  [{ baseUrl: 'ftp://x' }, '`baseUrl` must be an http or https URL, got ftp://x'],
  [{ profile: undefined }, '`profile` must be an object, got undefined'],
  [{ profile: 'db' }, '`profile` must be an object, got db'],
  [{ profiel: {} }, 'unknown option `profiel`; did you mean `profile`?'],
  [{ stations: {} }, '`stations` must be an object with byCode, got [object Object]'],
  [{ userAgent: 'a\nb' }, '`userAgent` must be visible ASCII text, got a\nb'],
  [{ now: 5 }, '`now` must be a function, got 5'],
  [{ pageSize: '6' }, '`pageSize` must be an integer of 1 to 100, got 6'],
])('createHafas() with %o is refused', (more, message) => {
  const misuse = () => createHafas({ ...options, ...more } as never);
  expect(misuse).toThrow(new TypeError(`Cannot create hafas: ${message}`));
});

test.each<[more: object, message: string]>([
  [{ pageSize: 0 }, '`pageSize` must be an integer of 1 to 100, got 0'],
  [{ maxPages: 21 }, '`maxPages` must be an integer of 1 to 20, got 21'],
])('createHafas() with %o is out of range', (more, message) => {
  const misuse = () => createHafas({ ...options, ...more } as never);
  expect(misuse).toThrow(new RangeError(`Cannot create hafas: ${message}`));
});

const checksumMessage =
  '`profile.checksum` must have `kind`, one of none, checksum, mic-mac, and for the latter two `salt` in hex digits';

test.each<[more: object, message: string]>([
  [{ zone: 'Mars/Base' }, '`profile.zone` must be an IANA time zone, got Mars/Base'],
  [{ path: 'mgate' }, '`profile.path` must be a path such as /bin/mgate.exe, got mgate'],
  [{ version: '1' }, '`profile.version` must be a version such as 1.45, got 1'],
  [{ client: undefined }, '`profile.client` must be an object, got undefined'],
  [{ currency: 'Euro' }, '`profile.currency` must be an ISO 4217 code, got Euro'],
  [{ currency: undefined }, '`profile.currency` is required with `profile.prices` fares'],
  [{ prices: 'all' }, '`profile.prices` must be one of none, fares, got all'],
  [{ stationSystem: undefined }, '`profile.stationSystem` must be a text, got undefined'],
  [
    { salt: '00' },
    'unknown option `profile.salt`; known are path, zone, version, ext, client, auth, lang, checksum, products, currency, prices, stationSystem, bookingCodes',
  ],
  [
    { products: {} },
    '`profile.products` must be an object of bits in decimal digits and train, bus, tram, metro, ferry, other, got [object Object]',
  ],
  [
    { products: { 3: 'train' } },
    '`profile.products` must be an object of bits in decimal digits and train, bus, tram, metro, ferry, other, got [object Object]',
  ],
  [{ auth: 'secret' }, '`profile.auth` must be an object of texts'],
  [{ auth: { aid: 5 } }, '`profile.auth` must be an object of texts'],
  [{ checksum: 'secret' }, checksumMessage],
  [{ checksum: { kind: 'mic-mac', salt: 'secret' } }, checksumMessage],
  [{ checksum: { kind: 'sha', salt: '00' } }, checksumMessage],
  [{ checksum: bare }, checksumMessage],
])('createHafas() with the profile %o is refused, and shows no secret', (more, message) => {
  const profile = { ...hafasSimProfile, ...more };
  const misuse = () => createHafas({ ...options, profile } as never);
  expect(misuse).toThrow(new TypeError(`Cannot create hafas: ${message}`));
});

test('createHafas() takes options that are undefined as absent', () => {
  const absent = { stations: undefined, pageSize: undefined, userAgent: undefined, now: undefined };
  const profile = { ...hafasSimProfile, ext: undefined, lang: undefined, checksum: undefined };
  expect(createHafas({ ...options, ...absent, profile })).toMatchObject({
    id: 'x',
    name: 'X',
    capabilities: {
      window: 'page',
      prices: 'some',
      passengers: 'count',
      stationSystem: 'ibnr',
      native: ['time', 'arriveBy', 'via', 'maxTransfers'],
    },
  });
});
