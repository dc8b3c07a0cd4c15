import { foldedWords } from '../src/search/fold.ts';
import {
  type Account,
  absorb,
  count,
  distanceKm,
  type Entry,
  entryOf,
  idOf,
  note,
  sellersOf,
  text,
} from './entry.ts';
import type { DbRow, ListRow } from './sources.ts';
import { applySupplements, type Supplement } from './supplements.ts';
import { weigh, weighGroup } from './weights.ts';

/** Two sources that are farther apart disagree. */
const CONFLICT_KM = 1;

export interface Merged {
  readonly stations: readonly Entry[];
  readonly groups: readonly Entry[];
  readonly account: Account;
}

/** Makes the table of its sources. Equal sources give an equal table. */
export function merge(sources: {
  readonly list: readonly ListRow[];
  readonly db: readonly DbRow[];
  readonly supplements: readonly Supplement[];
  /** Ids of main stations that the list does not mark. */
  readonly main?: ReadonlySet<string>;
}): Merged {
  const { list, db, supplements, main } = sources;
  const account: Account = { counts: new Map(), notes: new Map() };
  const rows = new Map(list.map((row) => [row.id, row]));
  const inGermany = new Map(db.map((row) => [row.id, row]));
  count(account, 'rows of the open list', list.length);
  const children = new Map<string, number>();
  const kinds = new Map(list.map((row) => [row.id, kindOf(row, rows, inGermany)]));
  for (const row of list) {
    const parent = text(row, 'parent_station_id');
    if (kinds.get(row.id) === 'station' && parent !== '') {
      children.set(parent, (children.get(parent) ?? 0) + 1);
    }
  }
  const stations = new Map<string, Entry>();
  const cities = new Map<string, Entry>();
  for (const row of list) {
    const kind = kinds.get(row.id) ?? 'no seller';
    const isCity = row['is_city'] === true && text(row, 'uic') !== '' && kind === 'station';
    const isAlone = (children.get(row.id) ?? 0) < 2 || row['cff_is_enabled'] === true;
    if (kind === 'station' && !(isCity && !isAlone)) {
      stations.set(row.id, entryOf(row));
      count(account, `taken: ${text(row, 'uic') === '' ? 'without' : 'with'} a UIC number`);
    } else if ((kind === 'city' || isCity) && (children.get(row.id) ?? 0) > 0) {
      cities.set(row.id, entryOf(row));
    } else count(account, `left out: ${kind === 'city' ? 'city without stations' : kind}`);
  }
  for (const row of list) if (text(row, 'same_as') !== '') addSame(row, { stations, account });
  addGerman(db, { stations, list, account });
  const groups = groupsOf(cities, { stations, rows, account });
  applySupplements(supplements, { stations, groups, account });
  keepUnique([...stations.values(), ...groups], account);
  for (const entry of stations.values()) {
    const row = rows.get(entry.listId);
    const isMain = row?.['is_main_station'] === true || main?.has(idOf(entry)) === true;
    weigh(entry, { inGermany, isMain, isHidden: row?.['is_suggestable'] === false });
  }
  for (const group of groups) weighGroup(group);
  return { stations: [...stations.values()], groups, account };
}

type Kind =
  | 'station'
  | 'city'
  | 'no place'
  | 'no seller'
  | 'bus and tram stops'
  | 'same as another';

function kindOf(
  row: ListRow,
  rows: ReadonlyMap<string, ListRow>,
  inGermany: ReadonlyMap<string, DbRow>,
): Kind {
  const uic = text(row, 'uic');
  if (row['is_city'] === true && uic === '') return 'city';
  if (rows.has(text(row, 'same_as'))) return 'same as another';
  if (text(row, 'latitude') === '' || text(row, 'longitude') === '') return 'no place';
  if (inGermany.has(text(row, 'db_id'))) return 'station';
  const sellers = sellersOf(row);
  if (sellers.length === 0) return row['is_city'] === true ? 'city' : 'no seller';
  if (uic === '' && sellers.every((seller) => seller === 'sbb')) return 'bus and tram stops';
  return 'station';
}

/** The codes of a row that is another station in truth become further codes of that. */
function addSame(
  row: ListRow,
  { stations, account }: { stations: ReadonlyMap<string, Entry>; account: Account },
): void {
  const target = stations.get(text(row, 'same_as'));
  if (target === undefined) count(account, 'left out: same as one that is left out');
  else {
    count(account, 'rows that became further codes of another');
    absorb(target, entryOf(row));
  }
}

function addGerman(
  db: readonly DbRow[],
  {
    stations,
    list,
    account,
  }: {
    stations: Map<string, Entry>;
    list: readonly ListRow[];
    account: Account;
  },
): void {
  count(account, 'rows of the German list', db.length);
  const known = new Map<string, Entry>();
  for (const entry of stations.values()) known.set(entry.codes.get('ibnr') ?? '', entry);
  const unknown = withoutIbnr(stations.values(), new Set(db.map((row) => row.id)));
  const same = new Set(list.filter((row) => text(row, 'same_as')).map((row) => row['db_id']));
  for (const { id, name, location, ril100 = '' } of db) {
    const entry = known.get(id);
    // Codes with spaces are of yards and halts beside a station.
    const ds100 = /^[A-Z]{2,5}$/.test(ril100) ? ril100 : undefined;
    if (entry !== undefined) {
      count(account, 'German stations in both lists');
      if (ds100 !== undefined) entry.codes.set('ds100', ds100);
      const km = distanceKm(entry, location);
      if (km > CONFLICT_KM) {
        note(account, 'In two places', `${entry.name} (ibnr:${id}): ${km.toFixed(1)} km`);
      }
    } else if (same.has(id)) count(account, 'German stations that are another one');
    else if (setIbnr(unknown.find(name, location), id, ds100)) {
      count(account, 'German stations found by name and place, which got their IBNR');
    } else {
      count(account, 'taken: only in the German list');
      stations.set(`ibnr:${id}`, {
        listId: '',
        name,
        country: 'DE',
        zone: 'Europe/Berlin',
        ...location,
        codes: new Map([['ibnr', id], ...(ds100 === undefined ? [] : [['ds100', ds100] as const])]),
        others: new Set(),
        sellers: new Set(['db']),
        aliases: [],
        weight: 0,
        slug: '',
        members: [],
      });
    }
  }
}

/** Finds German stations by name and place, of those without an IBNR of DB: some have another number in its place. */
function withoutIbnr(
  stations: Iterable<Entry>,
  known: ReadonlySet<string>,
): { find(name: string, place: DbRow['location']): Entry | undefined } {
  const byName = new Map<string, Entry[]>();
  for (const entry of stations) {
    if (entry.country !== 'DE' || known.has(entry.codes.get('ibnr') ?? '')) continue;
    const key = foldedWords(entry.name).join(' ');
    byName.set(key, [...(byName.get(key) ?? []), entry]);
  }
  return {
    find: (name, place) =>
      byName
        .get(foldedWords(name).join(' '))
        ?.find((entry) => distanceKm(entry, place) < CONFLICT_KM),
  };
}

function setIbnr(entry: Entry | undefined, ibnr: string, ds100: string | undefined): boolean {
  const before = entry?.codes.get('ibnr');
  if (before !== undefined) entry?.others.add(`ibnr=${before}`);
  entry?.codes.set('ibnr', ibnr);
  if (ds100 !== undefined) entry?.codes.set('ds100', ds100);
  return entry !== undefined;
}

/** A city of one station is another name of it; without a place of its own it is where its first station is. */
function groupsOf(
  cities: ReadonlyMap<string, Entry>,
  {
    stations,
    rows,
    account,
  }: {
    stations: ReadonlyMap<string, Entry>;
    rows: ReadonlyMap<string, ListRow>;
    account: Account;
  },
): Entry[] {
  for (const [id, entry] of stations) {
    const row = rows.get(id);
    if (row !== undefined) cities.get(text(row, 'parent_station_id'))?.members.push(entry);
  }
  const groups: Entry[] = [];
  for (const city of cities.values()) {
    const [only] = city.members;
    if (only === undefined) {
      count(account, 'left out: city without stations');
    } else if (city.members.length === 1) {
      count(account, 'cities of one station, which became another name of it');
      absorb(only, city);
      if (city.name !== only.name) only.aliases = [...only.aliases, `=${city.name}`];
    } else {
      count(account, 'taken: cities');
      // Numbers of cities are made up: understood, never sent.
      const uic = city.codes.get('uic');
      if (uic !== undefined) city.others.add(`uic=${uic}`);
      city.codes.delete('uic');
      groups.push(city);
    }
  }
  const slugs = new Map<string, number>();
  for (const group of groups) {
    const key = `${group.country}:${group.slug}`;
    const times = (slugs.get(key) ?? 0) + 1;
    slugs.set(key, times);
    if (times > 1) group.slug = `${group.slug}-${times}`;
  }
  return groups;
}

/** Of two with the same code the first one keeps it. */
function keepUnique(entries: readonly Entry[], account: Account): void {
  const owners = new Map<string, Entry>();
  for (const entry of entries) {
    for (const [system, code] of entry.codes) {
      const key = `${system}=${code}`;
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, entry);
      else {
        entry.codes.delete(system);
        note(
          account,
          'Codes that two have',
          `${key}: ${owner.name} keeps it, ${entry.name} loses it`,
        );
      }
    }
  }
  for (const entry of entries) {
    for (const other of entry.others) {
      if (owners.has(other)) entry.others.delete(other);
      else owners.set(other, entry);
    }
  }
}
