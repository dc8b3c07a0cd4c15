import { expect, test } from 'vitest';
import { encode, sortRows, writeAsset } from '../scripts/encode.ts';
import { type Entry, idOf } from '../scripts/entry.ts';
import { merge } from '../scripts/merge.ts';
import { report } from '../scripts/report.ts';
import type { DbRow, ListRow } from '../scripts/sources.ts';
import { readSupplements, type Supplement } from '../scripts/supplements.ts';
import { readAsset } from '../src/table/asset.ts';
import { openTable } from '../src/table/station-table.ts';

let rows = 0;
const row = (fields: Record<string, string | boolean>): ListRow => {
  rows += 1;
  const place = { latitude: '48.1', longitude: '11.5', country: 'DE', time_zone: 'Europe/Berlin' };
  return { id: `${rows}`, name: 'Somewhere', slug: 'somewhere', ...place, ...fields };
};
const supplement = (fields: Partial<Supplement>): Supplement => ({
  ...{ file: 'test.tsv', id: '', name: '', country: '', zone: '', latitude: '', longitude: '' },
  ...{ codes: new Map(), aliases: [], into: '' },
  ...fields,
});
const merged = (
  list: readonly ListRow[],
  {
    db = [],
    supplements = [],
  }: { db?: readonly DbRow[]; supplements?: readonly Supplement[] } = {},
) => merge({ list, db, supplements });
const texts = (entries: readonly Entry[]) => entries.map((entry) => `${idOf(entry)} ${entry.name}`);

test('merge() takes stations that a rail seller sells, and leaves out bus stops and stations without a place', () => {
  const { stations, account } = merged([
    row({ uic: '8000001', db_is_enabled: true }),
    row({ uic: '8000002' }),
    row({ uic: '8000003', db_is_enabled: true, latitude: '' }),
    row({ db_id: '70', cff_is_enabled: true }),
    row({ db_id: '71', cff_is_enabled: true, obb_is_enabled: true }),
    row({ obb_id: '72', obb_is_enabled: true }),
    row({ uic: '8000004', flixbus_is_enabled: true }),
  ]);
  expect(texts(stations).map((text) => text.split(' ')[0])).toEqual([
    'uic:8000001',
    'ibnr:71',
    'obb:72',
  ]);
  expect(account.counts.get('left out: bus and tram stops')).toBe(1);
  expect(account.counts.get('left out: no seller')).toBe(2);
});

test('merge() keeps codes of rows that are another station as further codes', () => {
  const { stations } = merged([
    row({ id: 'a', uic: '8000001', db_id: '1', db_is_enabled: true }),
    row({ uic: '8000002', db_id: '1', same_as: 'a', db_is_enabled: true }),
  ]);
  expect(stations.map(({ others }) => [...others])).toEqual([['uic=8000002']]);
});

test('merge() makes cities of two stations, and of one another name', () => {
  const sold = { db_is_enabled: true };
  const { stations, groups } = merged([
    row({
      id: 'two',
      name: 'Two',
      is_city: true,
      uic: '9900001',
      sncf_id: 'DETWO',
      slug: 'two',
      ...sold,
    }),
    row({ uic: '8000001', name: 'Two East', parent_station_id: 'two', ...sold }),
    row({
      uic: '8000002',
      name: 'Two West',
      parent_station_id: 'two',
      is_main_station: true,
      ...sold,
    }),
    row({ id: 'one', name: 'One', is_city: true, sncf_id: 'DEONE' }),
    row({ uic: '8000003', name: 'One Hbf', parent_station_id: 'one', ...sold }),
    row({ id: 'none', name: 'None', is_city: true }),
    row({ name: 'Town', is_city: true, uic: '8000004', ...sold }),
  ]);
  expect(texts(groups)).toEqual(['sncf:DETWO Two']);
  expect(groups[0]?.members.map(({ name }) => name)).toEqual(['Two West', 'Two East']);
  expect([...(groups[0]?.others ?? [])]).toEqual(['uic=9900001']);
  const one = stations.find(({ name }) => name === 'One Hbf');
  expect([one?.aliases, [...(one?.others ?? [])]]).toEqual([['=One'], ['sncf=DEONE']]);
  expect(stations.map(({ name }) => name)).toContain('Town');
});

test('merge() adds German stations, by IBNR, by name and place, or as new', () => {
  const near = { latitude: 48.1, longitude: 11.5 };
  const { stations, account } = merged(
    [
      row({ uic: '8000001', db_id: '1', db_is_enabled: true }),
      row({ uic: '8000002', db_id: '999', name: 'Haar', db_is_enabled: true }),
    ],
    {
      db: [
        { id: '1', name: 'Somewhere', weight: 10, location: { latitude: 48.2, longitude: 11.5 } },
        { id: '2', name: 'Haar', weight: 5, location: near },
        { id: '3', name: 'New', weight: 5, location: near },
      ],
    },
  );
  expect(texts(stations)).toEqual(['uic:8000001 Somewhere', 'uic:8000002 Haar', 'ibnr:3 New']);
  expect(stations[1]?.codes.get('ibnr')).toBe('2');
  expect([...(stations[1]?.others ?? [])]).toEqual(['ibnr=999']);
  expect(account.notes.get('In two places')).toEqual(['Somewhere (ibnr:1): 11.1 km']);
});

test('merge() lets supplements override, add, take codes and merge', () => {
  const { stations, account } = merged(
    [
      row({ uic: '8000001', renfe_id: '7', sncf_id: 'DEAAA', db_is_enabled: true }),
      row({ uic: '8000002', renfe_id: '8', db_is_enabled: true }),
      row({ uic: '8000003', db_id: '30', renfe_is_enabled: true }),
    ],
    {
      supplements: [
        supplement({
          id: 'uic:8000001',
          name: 'Better',
          codes: new Map([['renfe', '8']]),
          aliases: ['Best'],
        }),
        supplement({
          id: 'atoc:NEW',
          name: 'New',
          country: 'GB',
          zone: 'Europe/London',
          latitude: '51',
          longitude: '0',
        }),
        supplement({ id: 'uic:8000003', into: 'uic:8000001' }),
      ],
    },
  );
  const [better, other, added] = stations;
  expect(texts(stations)).toEqual(['uic:8000001 Better', 'uic:8000002 Somewhere', 'atoc:NEW New']);
  expect([...(better?.codes ?? [])]).toEqual([
    ['uic', '8000001'],
    ['renfe', '8'],
    ['sncf', 'DEAAA'],
    ['ibnr', '30'],
  ]);
  expect([...(better?.others ?? [])]).toEqual(['renfe=7', 'uic=8000003']);
  expect([...(better?.sellers ?? [])].sort()).toEqual(['db', 'renfe']);
  expect(better?.aliases).toEqual(['=Best']);
  expect(other?.codes.has('renfe')).toBe(false);
  expect([added?.latitude, added?.zone]).toEqual([51, 'Europe/London']);
  expect(account.notes.get('Codes that a supplement takes from another')).toHaveLength(1);
  const lost = [supplement({ id: 'uic:1', into: 'uic:2' })];
  expect(() => merged([], { supplements: lost })).toThrow(
    'Cannot merge uic:1 into uic:2: test.tsv must name stations',
  );
});

test('merge() takes a wrong name from a station where a supplement has it with a minus', () => {
  const sold = { uic: '8000001', db_is_enabled: true, 'info:nl': 'Kehl', 'info:it': 'Chilonia' };
  const supplements = [supplement({ id: 'uic:8000001', aliases: ['-Kehl', 'Kilonia'] })];
  const { stations } = merged([row(sold)], { supplements });
  expect(stations[0]?.aliases).toEqual(['it=Chilonia', '=Kilonia']);
});

test('equal sources give equal bytes, in whatever order their rows are, and the table gives them back', async () => {
  const list = [
    row({
      id: 'x',
      uic: '8000009',
      db_id: '9',
      trenitalia_id: '8000009',
      name: 'Ä',
      db_is_enabled: true,
      'info:it': 'A',
    }),
    row({
      id: 'y',
      uic: '8000002',
      db_id: '2',
      obb_id: '2',
      obb_is_enabled: true,
      longitude: '-0.5',
    }),
    row({ id: 'z', db_id: '5', db_is_enabled: true }),
  ];
  const bytesOf = (rowsOfList: readonly ListRow[]): Buffer => {
    const sorted = sortRows(merged(rowsOfList));
    const head = { asOf: '2026-01', stations: 3, withUic: 2, groups: 0, sources: [] };
    return writeAsset(encode(sorted), head);
  };
  const bytes = bytesOf(list);
  expect(bytesOf(list.toReversed()).equals(bytes)).toBe(true);
  const { head, section } = await readAsset(bytes);
  const table = openTable(head, section);
  expect([0, 1, 2].map(table.idOf)).toEqual(['uic:8000002', 'uic:8000009', 'ibnr:5']);
  expect(table.entryOf(0)).toMatchObject({
    longitude: -0.5,
    codes: { uic: '8000002', ibnr: '2', obb: '2' },
  });
  expect(table.entryOf(1)).toEqual({
    ...{
      id: 'uic:8000009',
      name: 'Ä',
      zone: 'Europe/Berlin',
      country: 'DE',
      latitude: 48.1,
      longitude: 11.5,
    },
    codes: { uic: '8000009', ibnr: '9', trenitalia: '8000009' },
    aliases: ['A'],
  });
});

test('report() counts, and names what a person should look at', () => {
  const result = merged([
    row({ uic: '8000001', name: 'Twin', db_is_enabled: true }),
    row({ uic: '8000002', name: 'Twin', db_is_enabled: true }),
  ]);
  const text = report({ ...result, bytes: 1234 });
  expect(text).toContain('2 stations and 0 cities, 1,234 bytes');
  expect(text).toContain('- Twin: uic:8000001, uic:8000002');
  expect(text).toContain('Stations by country: DE 2.');
});

test('supplements/*.tsv: every row has a source and a date, and a name of a station', () => {
  const supplements = readSupplements();
  expect(supplements.length).toBeGreaterThan(15);
  for (const { id, latitude } of supplements) {
    expect(id).toMatch(
      /^(uic:\d{7}|atoc:[A-Z]{3}|ibnr:\d{7}|entur:NSR:StopPlace:\d+|city:[a-z]{2}:[a-z-]+)$/,
    );
    expect(latitude).toMatch(/^(-?\d+\.\d{1,4})?$/);
  }
});
