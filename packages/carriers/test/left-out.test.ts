import type { CarrierAnswer } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, failureOf, fixture, queryOf } from './upstream.ts';

const { renfe, ouigo, avlo } = createCarriers('http://127.0.0.1:1');
const receivedAt = Date.UTC(2026, 10, 20);
const text = (name: string): string => new TextDecoder().decode(fixture(name));

/** Puts other text into a golden answer; the text must be there. */
function changed(name: string, ...changes: readonly [from: string, to: string][]): Uint8Array {
  let whole = text(name);
  for (const [from, to] of changes) {
    expect(whole).toContain(from);
    whole = whole.replace(from, to);
  }
  return bytesOf(whole);
}
const readRenfe = (...changes: readonly [string, string][]): CarrierAnswer =>
  renfe.normalise({ body: changed('renfe', ...changes), receivedAt }, queryOf());
const readOuigo = (...changes: readonly [string, string][]): CarrierAnswer =>
  ouigo.normalise({ body: changed('ouigo.json', ...changes), receivedAt }, queryOf());

// The change of trains of the golden answer, in Zaragoza.
const CHANGE = 'cdgoEstacionDestinoTrayecto:"04040"';
const THREE = 'trayectos:[{cdgoEstacionDestinoTrayecto:"04040"';
const CONNECTION = THREE;

test.each<[what: string, from: string, to: string]>([
  ['a station abroad whose zone nobody gives', CHANGE, 'cdgoEstacionDestinoTrayecto:"87999"'],
  ['a ride without a station', CHANGE, 'x:0'],
  ['a ride whose station is null', CHANGE, 'cdgoEstacionDestinoTrayecto:null'],
  ['trains that are not in order of time', 'horaSalida:"11:00:00"', 'horaSalida:"10:00:00"'],
  ['three trains', THREE, THREE.replace('[', '[{},')],
  ['no train', CONNECTION, CONNECTION.replace('trayectos:[', 'trayectos:[],x:[')],
])('renfe leaves out one journey of %s, counts it, and keeps the others', (_what, from, to) => {
  const answer = readRenfe([from, to]);
  expect(answer).toMatchObject({ filtered: 1, journeys: [{}, {}] });
  expect(Object.values(answer.leftOut ?? {})).toEqual([1]);
  expect(readRenfe()).not.toHaveProperty('filtered');
  expect(readRenfe()).not.toHaveProperty('leftOut');
});

test('however many journeys are left out, the others are the answer, and each reason is counted', () => {
  const late = 'cdgoTren:"06323"';
  const answer = readRenfe([CHANGE, 'x:0'], [late, `${late}},{},{x:1`]);
  expect(answer).toMatchObject({
    filtered: 2,
    leftOut: { 'of more than two trains': 1, 'without `cdgoEstacionDestinoTrayecto`': 1 },
    journeys: { length: 1 },
  });
});

test.each<[what: string, from: string, to: string]>([
  ['money', '"37,35"', '"37,3x"'],
  ['money that is a number', '"37,35"', '37.35'],
  ['a time', '"06:15"', '"26:15"'],
  ['a time of another form', '"06:15"', '"6.15"'],
  ['a day', 'fecha:"2026-12-01",horaLlegada:"00:55"', 'fecha:"2026-02-30",horaLlegada:"00:55"'],
])('renfe: %s that cannot be read is PROTOCOL, in one journey of many', async (_what, from, to) => {
  expect((await failureOf(() => readRenfe([from, to]))).code).toBe('PROTOCOL');
});

test.each<[what: string, from: string, to: string]>([
  ['money', '19.0', '19.001'],
  ['money that is no number', '19.0', '"19 EUR"'],
  ['a time', 'T06:35:00+01:00', 'T26:35'],
  ['a time of another form', 'T06:35:00+01:00', ' 6:35'],
  ['a time that is none', '2026-12-01T06:35', '2026-02-30T06:35'],
])('ouigo: %s that cannot be read is PROTOCOL, in one journey of many', async (_what, from, to) => {
  expect((await failureOf(() => readOuigo([from, to]))).code).toBe('PROTOCOL');
});

test('ouigo: a station that the table lacks is a place, named as the wire names it', () => {
  const { journeys, places, filtered } = readOuigo(
    ['"7171801","name":"Barcelona"', '"7199999","name":"Nowhere"'],
    ['"7171801","name":"Barcelona"', '"7199998","name":""'],
  );
  expect(journeys.map(({ legs }) => legs[0]?.destination)).toEqual(['uic:7199999', 'uic:7199998']);
  expect(journeys[0]?.arrival.iso).toBe('2026-12-01T09:05:00+01:00[Europe/Madrid]');
  expect(filtered).toBeUndefined();
  expect(places).toMatchObject([
    { id: 'uic:7160000', name: 'Madrid Puerta de Atocha-Almudena Grandes' },
    { id: 'uic:7199999', name: 'Nowhere', zone: 'Europe/Madrid' },
    { id: 'uic:7199998', name: '7199998', zone: 'Europe/Madrid' },
  ]);
});

test('renfe names the stations of its changes; a journey that is left out names none', () => {
  const names = ({ places = [] }: CarrierAnswer) => places.map(({ id }) => id);
  expect(names(readRenfe())).toEqual(['uic:7160000', 'uic:7171801', 'uic:7104040']);
  expect(names(readRenfe(['horaSalida:"11:00:00"', 'horaSalida:"10:00:00"']))).toEqual([
    'uic:7160000',
    'uic:7171801',
  ]);
});

test('avlo: a price or an instant that cannot be read is PROTOCOL', async () => {
  const read = (from: string, to: string) => () =>
    avlo.normalise({ days: [changed('avlo.json', [from, to])], receivedAt }, queryOf());
  expect((await failureOf(read('"price":25', '"price":"25 EUR"'))).code).toBe('PROTOCOL');
  expect((await failureOf(read('T05:30:00.000Z', 'T05:30'))).code).toBe('PROTOCOL');
});
