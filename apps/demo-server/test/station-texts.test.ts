import { stationTable } from '@ticketing/carriers';
import { openStations } from '@ticketing/stations';
import { expect, test } from 'vitest';
import {
  rememberTexts,
  type StationTexts,
  searchedStations,
  servedStations,
  stationsFor,
} from '../src/search/station-texts.ts';

function counted() {
  const asked: string[] = [];
  const index = rememberTexts({
    ...stationTable,
    find(text) {
      asked.push(text);
      return stationTable.find(text);
    },
  });
  return { asked, index };
}

test('rememberTexts() finds what the index finds, and looks for a text once', () => {
  const { asked, index } = counted();
  for (const text of ['Atocha', 'atocha', 'Madrid', 'uic:7171801']) {
    for (let time = 0; time < 2; time++) expect(index.find(text)).toEqual(stationTable.find(text));
  }
  expect(asked).toEqual(['Atocha', 'atocha', 'Madrid', 'uic:7171801']);
});

test('rememberTexts() keeps nothing of texts that mean nothing, and no more than a thousand others', () => {
  const { asked, index } = counted();
  for (let time = 0; time < 2; time++) index.find('Nowhere');
  expect(asked).toHaveLength(2);
  const spellings = Array.from(
    { length: 1001 },
    (_, at) => `${' '.repeat(at % 60)}uic:7171801${' '.repeat(Math.floor(at / 60))}`,
  );
  index.find('Atocha');
  for (const text of spellings) index.find(text);
  asked.length = 0;
  index.find('Atocha');
  expect(asked).toEqual(['Atocha']);
});

test('servedStations finds whole names, ids and codes alone: a router has no book', () => {
  for (const text of [
    'Atocha',
    'MADRID',
    'uic:7171801',
    'renfe:60000',
    '7160000',
    'city:es:madrid',
  ]) {
    expect(servedStations.find(text).kind, text).toBe('found');
  }
  for (const text of ['san', 'Barcelona S', 'Nowhere', 'Essen', '']) {
    expect(servedStations.find(text), text).toEqual({ kind: 'unknown', nearest: [] });
  }
});

test('searchedStations() finds every city of the book by its label, and stations that are served with their codes', async () => {
  const book = await openStations();
  const texts = searchedStations(book);
  const others = book.groups.filter(({ id, name }) => {
    const match = texts.find(`${name} (all stations)`);
    return match.kind !== 'found' || match.station.id !== id;
  });
  expect(others.map(({ id }) => id)).toEqual([]);
  const barcelona = texts.find('Barcelona (all stations)');
  expect(
    barcelona.kind === 'found' && 'members' in barcelona.station && barcelona.station.members,
  ).toContain(stationTable.byId('uic:7171801'));
});

test('searchedStations() reads nothing of a book but what its texts mean', () => {
  const book = new Proxy({} as StationTexts, {
    get(_target, name) {
      if (name === 'find') return () => ({ kind: 'unknown', nearest: [] });
      throw new Error(`read ${String(name)}`);
    },
  });
  expect(searchedStations(book).find('Essen')).toEqual({ kind: 'unknown', nearest: [] });
});

test('stationsFor() opens the book for texts that are no whole names of served stations alone', async () => {
  let opened = 0;
  const book = async (): Promise<StationTexts> => {
    opened += 1;
    return stationTable;
  };
  const query = { origin: 'Madrid', destination: 'Barcelona' };
  expect(await stationsFor(query, book)).toBe(servedStations);
  expect(await stationsFor({ ...query, via: 'Zaragoza' }, book)).toBe(servedStations);
  expect(opened).toBe(0);
  for (const other of [{ origin: 'Essen' }, { destination: 'Essen' }, { via: 'Essen' }]) {
    expect(await stationsFor({ ...query, ...other }, book)).toBe(stationTable);
  }
  expect(opened).toBe(3);
});
