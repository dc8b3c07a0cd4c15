import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStations } from '@ticketing/stations';
import { expect, onTestFinished, test } from 'vitest';
import { readCaptures } from '../../src/captures.ts';
import { compare } from '../../src/compare.ts';

const SHAPES = fileURLToPath(new URL('../../shapes', import.meta.url));
const HAFAS = 'hafas/direct-change-and-night.json';
const NAVITIA = 'navitia/fare-and-change.json';
const RENFE = 'renfe/direct-change-and-full.dwr';
const stations = await openStations();

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'real-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A copy of the shapes, with other text in each place where one of them has this one. */
function changed(file: string, from: string, to: string): string {
  const folder = emptyFolder();
  cpSync(SHAPES, folder, { recursive: true });
  const text = readFileSync(join(folder, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(folder, file), text.replaceAll(from, to));
  return folder;
}

function verdictOf(folder: string, file: string) {
  const capture = readCaptures(folder).find((one) => one.file === file);
  const { capture: _, ...verdict } = compare(capture as NonNullable<typeof capture>, stations);
  return verdict;
}

test.each(readCaptures(SHAPES))('$file is what it says of itself', (capture) => {
  const { right, differs, leftOut, failed } = compare(capture, stations);
  expect(right).toBeGreaterThan(0);
  expect({ differs, leftOut, failed }).toEqual({ differs: [], leftOut: {}, failed: [] });
});

test.each([
  [HAFAS, '"dur": "030000"', '"dur": "031500"', 'journey 2: 195 minutes, read 180'],
  [HAFAS, '"chg": 0', '"chg": 2', 'journey 1: 2 changes, read 0'],
  [RENFE, 'EnMinutos:158', 'EnMinutos:150', 'journey 1: 150 minutes, read 158'],
  [RENFE, 'tarifaMinima:"63,4"', 'tarifaMinima:"6"', 'journey 4: 12.00 EUR, read 126.80 EUR'],
  [NAVITIA, '"duration": 14640', '"duration": 7200', 'journey 1: 120 minutes, read 244'],
  [NAVITIA, '"nb_transfers": 1', '"nb_transfers": 0', 'journey 2: 0 changes, read 1'],
  ['ojp/direct-and-change.xml', 'PT2H41M', 'PT1H41M', 'journey 1: 101 minutes, read 161'],
  ['ojp/direct-and-change.xml', '<Transfers>1', '<Transfers>3', 'journey 2: 3 changes, read 1'],
  [
    'osdm/change-with-two-classes.json',
    '"duration": "PT2H52M"',
    '"duration": "P1DT1M30S"',
    'journey 1: 1441 minutes, read 172',
  ],
  [
    'osdm/change-with-two-classes.json',
    '"transfers": 1',
    '"transfers": 0',
    'journey 1: 0 changes, read 1',
  ],
])('%s that says %s differently is a difference', (file, from, to, difference) => {
  expect(verdictOf(changed(file, from, to), file)).toMatchObject({ differs: [difference] });
});

test('journeys that are left out are counted by reason, and one that cannot be read is named', () => {
  const left = verdictOf(changed(HAFAS, '"aTimeS": "094800"', '"none": ""'), HAFAS);
  expect(left).toMatchObject({ right: 2, leftOut: { 'without `aTimeS`': 1 }, failed: [] });
  const broken = verdictOf(changed(HAFAS, '"svcResL"', '"svcRes"'), HAFAS);
  expect(broken).toMatchObject({ right: 0, failed: [expect.stringContaining('PROTOCOL')] });
});

test('an answer that cannot be taken apart is read as a whole', () => {
  const folder = changed(RENFE, 'titulo:"Elige"', "titulo:'Elige'");
  expect(verdictOf(folder, RENFE)).toMatchObject({ right: 4, differs: [], failed: [] });
});

test('an answer that says that there is nothing is read', () => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'hafas'));
  const none = { ver: '1.45', err: 'OK', svcResL: [{ meth: 'TripSearch', err: 'H890' }] };
  writeFileSync(join(folder, HAFAS), JSON.stringify(none));
  cpSync(join(SHAPES, 'hafas/query.json'), join(folder, 'hafas/query.json'));
  expect(verdictOf(folder, HAFAS)).toMatchObject({ right: 0, differs: [], failed: [] });
});

test.each<[what: string, make: (folder: string) => void, message: string]>([
  ['no captures', () => {}, 'put them in folders named hafas, navitia, ojp, osdm, ouigo, renfe'],
  [
    'a capture without a query',
    (folder) => writeFileSync(join(folder, 'ojp/trip.xml'), '<OJP/>'),
    'Cannot read ojp/trip.xml: write what was asked for to trip.query.json',
  ],
  [
    'a query that is no JSON',
    (folder) => {
      writeFileSync(join(folder, 'ojp/trip.xml'), '<OJP/>');
      writeFileSync(join(folder, 'ojp/trip.query.json'), '{');
    },
    'trip.query.json: it must be JSON',
  ],
  [
    'a query without a station',
    (folder) => {
      writeFileSync(join(folder, 'ojp/trip.xml'), '<OJP/>');
      writeFileSync(join(folder, 'ojp/query.json'), '{ "origin": "Bern" }');
    },
    '`origin` must be a system and a code, such as uic:7160000',
  ],
])('%s: the error says what to do', (_what, make, message) => {
  const folder = emptyFolder();
  mkdirSync(join(folder, 'ojp'));
  make(folder);
  expect(() => readCaptures(folder)).toThrow(message);
});

test('the program prints a table, and fails if a journey is read wrongly', () => {
  const run = (folder: string) => {
    const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const args = ['--conditions=@ticketing/source', program, folder];
    return spawnSync(process.execPath, args, { encoding: 'utf8' });
  };
  const good = run(SHAPES);
  expect([good.status, good.stderr]).toEqual([0, '']);
  expect(good.stdout).toMatch(/^hafas {7}2 {11}7 {11}0 {11}0 {11}0$/m);
  const bad = run(changed(HAFAS, '"chg": 0', '"chg": 2'));
  expect(bad.status).toBe(1);
  expect(bad.stdout).toContain('differs: journey 1: 2 changes, read 0');
});
