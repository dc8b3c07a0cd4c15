import { STORED_SYSTEMS, type StoredSystem } from '../src/table/code-systems.ts';
import type { ListRow } from './sources.ts';

/** A station or city on its way into the table. */
export interface Entry {
  /** In the open list; empty for others. */
  readonly listId: string;
  name: string;
  country: string;
  zone: string;
  latitude: number;
  longitude: number;
  readonly codes: Map<StoredSystem, string>;
  /** `system=code`. */
  readonly others: Set<string>;
  readonly sellers: Set<string>;
  /** `language=name`; without a language before `=` it is a name in any. */
  aliases: readonly string[];
  weight: number;
  /** Of a city. */
  slug: string;
  members: Entry[];
}

/** What became of the rows: for REPORT.md. */
export interface Account {
  readonly counts: Map<string, number>;
  /** Lines of things that a person should look at, by heading. */
  readonly notes: Map<string, string[]>;
}

const FIELDS: Readonly<Record<StoredSystem, string>> = {
  uic: 'uic',
  ibnr: 'db_id',
  obb: 'obb_id',
  trenitalia: 'trenitalia_id',
  entur: 'entur_id',
  atoc: 'atoc_id',
  ntv: 'ntv_id',
  renfe: 'renfe_id',
  sncf: 'sncf_id',
  leoexpress: 'leoexpress_id',
  westbahn: 'westbahn_id',
  benerail: 'benerail_id',
  ouigoFr: 'ouigo_id',
  ds100: '',
  iata: 'iata_airport_code',
};
/** Names of rail sellers as in the list, and as ours. Sellers of bus tickets do not make a station. */
const SELLERS: Readonly<Record<string, string>> = {
  atoc: 'atoc',
  benerail: 'benerail',
  cff: 'sbb',
  db: 'db',
  entur: 'entur',
  hkx: 'hkx',
  leoexpress: 'leoexpress',
  ntv: 'ntv',
  obb: 'obb',
  ouigo: 'ouigoFr',
  renfe: 'renfe',
  sncf: 'sncf',
  trenitalia: 'trenitalia',
  westbahn: 'westbahn',
};
/** Makes the entry of a row. */
export function entryOf(row: ListRow): Entry {
  const codes = new Map<StoredSystem, string>();
  for (const system of STORED_SYSTEMS) {
    const code = text(row, FIELDS[system]).replaceAll('|', ':');
    if (code !== '') codes.set(system, code);
  }
  const aliases = Object.keys(row)
    .filter((field) => field.startsWith('info:') && text(row, field) !== '')
    .sort()
    .map((field) => `${field.slice(5)}=${text(row, field).replaceAll('|', '/')}`);
  return {
    listId: row.id,
    name: text(row, 'name').replace(/ \(città\)$/, ''),
    country: row.country,
    zone: text(row, 'time_zone'),
    latitude: Number(text(row, 'latitude')),
    longitude: Number(text(row, 'longitude')),
    codes,
    others: new Set(),
    sellers: new Set(sellersOf(row)),
    aliases,
    weight: 0,
    slug: text(row, 'slug'),
    members: [],
  };
}

/** Returns the text of a field, or an empty one. */
export function text(row: ListRow, field: string): string {
  const value = row[field];
  return typeof value === 'string' ? value.trim() : '';
}

/** Returns the rail sellers of a row, by our names. */
export function sellersOf(row: ListRow): string[] {
  return Object.entries(SELLERS)
    .filter(([seller]) => row[`${seller}_is_enabled`] === true)
    .map(([, name]) => name)
    .sort();
}

/** Makes the codes of one station further codes of another. */
export function absorb(target: Entry, { codes, others }: Entry): void {
  for (const [system, code] of codes) {
    if (target.codes.get(system) !== code) target.others.add(`${system}=${code}`);
  }
  for (const other of others) target.others.add(other);
}

/** Returns the id of a station: of the first system that it has a code in. */
export function idOf({ codes }: Entry): string {
  for (const system of STORED_SYSTEMS) {
    const code = codes.get(system);
    if (code !== undefined) return `${system}:${code}`;
  }
  return '';
}

/** Makes an entry without anything. */
export function emptyEntry(): Entry {
  return {
    listId: '',
    name: '',
    country: '',
    zone: '',
    latitude: 0,
    longitude: 0,
    codes: new Map(),
    others: new Set(),
    sellers: new Set(),
    aliases: [],
    weight: 0,
    slug: '',
    members: [],
  };
}

/** Returns the distance of two places that are near each other. */
export function distanceKm(
  one: { readonly latitude: number; readonly longitude: number },
  other: { readonly latitude: number; readonly longitude: number },
): number {
  const radians = Math.PI / 180;
  const x = (one.longitude - other.longitude) * Math.cos(one.latitude * radians);
  return 6371 * radians * Math.hypot(x, one.latitude - other.latitude);
}

/** Counts rows for the report. */
export function count({ counts }: Account, what: string, times = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + times);
}

/** Adds a line for a person to look at to the report. */
export function note({ notes }: Account, heading: string, line: string): void {
  notes.set(heading, [...(notes.get(heading) ?? []), line]);
}
