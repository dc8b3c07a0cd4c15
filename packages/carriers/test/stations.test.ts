import { expect, test } from 'vitest';
import { stations, stationTable } from '../src/index.ts';

test.each([
  'Barcelona',
  'barcelona sants',
  'BARCELONA',
  '7171801',
  'uic:7171801',
  'renfe:71801',
  '71801',
  'avlo:13',
  'BCN',
])('stationTable finds Barcelona Sants by %s', (text) => {
  expect(stationTable.find(text)).toMatchObject({ kind: 'found', station: { id: 'uic:7171801' } });
});

test.each([
  ['malaga', 'uic:7154413'],
  ['Málaga', 'uic:7154413'],
  ['a coruña', 'uic:7131412'],
  ['CORUNA', 'uic:7131412'],
  ['madrid chamartin', 'uic:7117000'],
  ['Madrid', 'city:es:madrid'],
  ['madr', 'city:es:madrid'],
  ['Paris', 'city:fr:paris'],
  ['Atocha', 'uic:7160000'],
  ['lisbon', 'uic:9431039'],
])('stationTable finds %s', (text, id) => {
  expect(stationTable.find(text)).toMatchObject({ kind: 'found', station: { id } });
});

test('stationTable offers the nearest names of a typing error', () => {
  expect(stationTable.find('Barcelnoa')).toMatchObject({
    kind: 'unknown',
    nearest: [{ id: 'uic:7171801' }, {}, {}, {}, {}],
  });
});

test('stations holds at least thirty stations that are found by every id, code, name and alias', () => {
  expect(stations.length).toBeGreaterThanOrEqual(30);
  for (const station of stations) {
    const codes = Object.entries(station.codes).map(([system, code]) => `${system}:${code}`);
    for (const text of [station.id, station.name, ...codes, ...(station.aliases ?? [])]) {
      expect(stationTable.find(text), text).toEqual({ kind: 'found', station });
    }
  }
});

test('stations are in their country and zone', () => {
  const zones = {
    ES: 'Europe/Madrid',
    PT: 'Europe/Lisbon',
    FR: 'Europe/Paris',
    GB: 'Europe/London',
    CH: 'Europe/Zurich',
    IT: 'Europe/Rome',
    AT: 'Europe/Vienna',
    DE: 'Europe/Berlin',
  };
  for (const { country, zone, latitude, longitude, name } of stations) {
    expect(zones, name).toHaveProperty(country, zone);
    expect(latitude, name).toBeGreaterThan(35);
    expect(latitude, name).toBeLessThan(52);
    expect(longitude, name).toBeGreaterThan(-9.5);
    expect(longitude, name).toBeLessThan(17);
  }
});

test('stationTable knows every station of the simulator by the number of German and Austrian systems', () => {
  expect(stationTable.byCode('ibnr', '8000261')).toMatchObject({ id: 'uic:8020347' });
  expect(stationTable.byCode('ibnr', '8103000')).toMatchObject({ id: 'uic:8101003' });
  expect(stations.filter(({ codes }) => codes['ibnr'])).toHaveLength(28);
});
