import { readdirSync, readFileSync } from 'node:fs';
import type { StoredSystem } from '../src/table/code-systems.ts';
import { type Account, absorb, count, type Entry, emptyEntry, idOf, note } from './entry.ts';

/** What we know better than the lists: a row overrides the station of its id, or adds one. */
export interface Supplement {
  readonly file: string;
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly zone: string;
  readonly latitude: string;
  readonly longitude: string;
  /** `system=code`, with spaces between them. */
  readonly codes: ReadonlyMap<string, string>;
  readonly aliases: readonly string[];
  /** The id of the station that this one is in truth. */
  readonly into: string;
}

const HEAD = 'id\tname\tcountry\tzone\tlatitude\tlongitude\tcodes\taliases\tinto\tsource\tdate';

/** Reads `supplements/*.tsv`, in the order of their names. @throws Error for a row that has not all columns */
export function readSupplements(): readonly Supplement[] {
  const folder = new URL('../supplements/', import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.tsv'))
    .sort()
    .flatMap((file) => readFile(file, readFileSync(new URL(file, folder), 'utf8')));
}

/** Reads the ids of `supplements/main-stations.txt`: main stations that the lists do not mark, each with its reason behind a space. */
export function readMainStations(): ReadonlySet<string> {
  const text = readFileSync(new URL('../supplements/main-stations.txt', import.meta.url), 'utf8');
  return new Set(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? ''),
  );
}

function readFile(file: string, text: string): Supplement[] {
  const [head, ...rows] = text.trimEnd().split('\n');
  if (head !== HEAD) throw new Error(`Cannot read ${file}: its first line must be ${HEAD}`);
  return rows.map((row, place) => {
    const cells = row.split('\t');
    const [id = '', name = '', country = '', zone = '', latitude = '', longitude = ''] = cells;
    const [codes = '', aliases = '', into = '', source = '', date = ''] = cells.slice(6);
    if (cells.length !== 11 || source === '' || !/^\d{4}-\d\d-\d\d$/.test(date)) {
      throw new Error(
        `Cannot read ${file}: line ${place + 2} must have 11 columns, source and date`,
      );
    }
    const pairs = codes.split(' ').filter((pair) => pair !== '');
    return {
      file,
      id,
      name,
      country,
      zone,
      latitude,
      longitude,
      codes: new Map(pairs.map((pair) => pair.split('=') as [string, string])),
      aliases: aliases.split('|').filter((alias) => alias !== ''),
      into,
    };
  });
}

/** Overrides, adds and merges stations. @throws Error for one to merge that is not there */
export function applySupplements(
  supplements: readonly Supplement[],
  {
    stations,
    groups,
    account,
  }: {
    stations: Map<string, Entry>;
    groups: readonly Entry[];
    account: Account;
  },
): void {
  const byId = new Map([...stations].map(([key, entry]) => [idOf(entry), { key, entry }]));
  for (const entry of groups) {
    byId.set(`city:${entry.country.toLowerCase()}:${entry.slug}`, { key: '', entry });
  }
  const into: Supplement[] = [];
  for (const row of supplements) {
    if (row.into !== '') {
      into.push(row);
      continue;
    }
    const entry = byId.get(row.id)?.entry ?? emptyEntry();
    if (!byId.has(row.id)) {
      stations.set(row.id, entry);
      byId.set(row.id, { key: row.id, entry });
      const [system, code = ''] = row.id.split(':');
      entry.codes.set(system as StoredSystem, code);
      count(account, 'taken: only in supplements');
    } else count(account, 'stations that a supplement changes');
    entry.name = row.name || entry.name;
    entry.country = row.country || entry.country;
    entry.zone = row.zone || entry.zone;
    if (row.latitude !== '') entry.latitude = Number(row.latitude);
    if (row.longitude !== '') entry.longitude = Number(row.longitude);
    const wrong = new Set(row.aliases.filter((alias) => alias.startsWith('-')));
    const right = entry.aliases.filter((alias) => !wrong.has(`-${alias.split('=')[1]}`));
    const more = row.aliases.filter((alias) => !wrong.has(alias)).map((alias) => `=${alias}`);
    entry.aliases = [...right, ...more];
    for (const [name, code] of row.codes) {
      const system = name as StoredSystem;
      const before = entry.codes.get(system);
      if (before !== undefined && before !== code) entry.others.add(`${system}=${before}`);
      entry.codes.set(system, code);
      for (const other of [...stations.values(), ...groups]) {
        if (other === entry || other.codes.get(system) !== code) continue;
        other.codes.delete(system);
        note(
          account,
          'Codes that a supplement takes from another',
          `${system}:${code}: ${other.name}, now ${entry.name}`,
        );
      }
    }
  }
  for (const row of into) {
    const [from, target] = [byId.get(row.id), byId.get(row.into)];
    if (from === undefined || target === undefined) {
      throw new Error(`Cannot merge ${row.id} into ${row.into}: ${row.file} must name stations`);
    }
    stations.delete(from.key);
    for (const seller of from.entry.sellers) target.entry.sellers.add(seller);
    for (const [system, code] of from.entry.codes) {
      if (!target.entry.codes.has(system)) target.entry.codes.set(system, code);
    }
    absorb(target.entry, from.entry);
    const names = new Set([...target.entry.aliases, ...from.entry.aliases]);
    target.entry.aliases = [...names].sort();
    for (const group of groups) {
      const members = group.members.map((one) => (one === from.entry ? target.entry : one));
      group.members = [...new Set(members)];
    }
    count(account, 'stations that a supplement merges');
  }
}
