import type { Station, StationGroup } from '@ticketing/core';
import type { AssetHead, SectionName } from './asset.ts';
import { COMPUTED_SYSTEMS, STORED_SYSTEMS, type StoredSystem, usualCode } from './code-systems.ts';
import {
  deltaColumn,
  integerColumn,
  type TextColumn,
  type TextLookup,
  textColumn,
  textLookup,
} from './column.ts';

/** Degrees are kept as integers of this many per degree: 11 m. */
export const PER_DEGREE = 10_000;

/** A name in another language. */
export interface Alias {
  /** Absent: known under this name whatever the language. */
  readonly language: string | undefined;
  readonly name: string;
}

/** The stations, then the groups, as rows of columns. Objects are made when they are asked for, once. */
export interface StationTable {
  readonly head: AssetHead;
  /** Stations and groups. */
  readonly length: number;
  readonly sellers: readonly string[];
  /** Integers of {@link PER_DEGREE} per degree. */
  readonly latitude: Int32Array;
  readonly longitude: Int32Array;
  /** 0 to 255: how likely it is that somebody means this one. */
  readonly weight: Int32Array;
  /** One bit for each of `sellers`. */
  readonly sellerBits: Uint32Array;
  isGroup(row: number): boolean;
  idOf(row: number): string;
  nameOf(row: number): string;
  countryOf(row: number): string;
  /** Rows with the same number have the same aliases. */
  aliasSetOf(row: number): number;
  aliasesOf(row: number): readonly Alias[];
  memberRows(row: number): readonly number[];
  entryOf(row: number): Station | StationGroup;
  rowOfId(id: string): number | undefined;
  rowOfCode(system: string, code: string): number | undefined;
}

/** Makes the table of an asset's sections. */
export function openTable(head: AssetHead, section: (name: SectionName) => string): StationTable {
  const length = head.stations + head.groups;
  const column = (name: SectionName) => textColumn(section(name), length);
  const integers = (name: SectionName) => integerColumn(section(name), length);
  const list = (name: SectionName) => section(name).split('\n');
  const [countries, zones, sellers] = [list('countries'), list('zones'), list('sellers')];
  const aliasSets = list('aliasSets');
  const setBits = list('sellerSets').map((names) =>
    names.split(' ').reduce((bits, name) => bits | bitOf(sellers.indexOf(name)), 0),
  );
  const uics = deltaColumn(section('uic'), head.withUic);
  const [country, zone, aliasSet] = [integers('country'), integers('zone'), integers('aliasSet')];
  const [latitude, longitude] = [
    deltaColumn(section('latitude'), length),
    deltaColumn(section('longitude'), length),
  ];
  const weight = integers('weight');
  const sellerBits = Uint32Array.from(integers('sellerSet'), (set) => setBits[set] ?? 0);
  const [names, slugs, members, others] = [
    column('name'),
    column('slug'),
    column('members'),
    column('otherCodes'),
  ];
  const codeColumns: ReadonlyMap<string, TextColumn> = new Map(
    STORED_SYSTEMS.filter((system) => system !== 'uic').map((system) => [
      system,
      column(`code:${system}`),
    ]),
  );
  const entries: (Station | StationGroup | undefined)[] = new Array(length);
  const lookups = new Map<string, TextLookup>();
  let otherRows: ReadonlyMap<string, number> | undefined;

  const isGroup = (row: number): boolean => row >= head.stations;

  function codeAt(row: number, system: string): string | undefined {
    if (system === 'uic') return row < head.withUic ? String(uics[row]) : undefined;
    const code = codeColumns.get(system)?.at(row) ?? '';
    if (code !== '=') return code === '' ? undefined : code;
    return usualCode(system as StoredSystem, (other) => codeAt(row, other));
  }

  function idOf(row: number): string {
    if (isGroup(row)) return `city:${countryOf(row).toLowerCase()}:${slugs.at(row)}`;
    for (const system of STORED_SYSTEMS) {
      const code = codeAt(row, system);
      if (code !== undefined) return `${system}:${code}`;
    }
    return '';
  }

  const countryOf = (row: number): string => countries[country[row] ?? 0] ?? '';

  function aliasesOf(row: number): readonly Alias[] {
    const set = aliasSets[aliasSet[row] ?? 0] ?? '';
    if (set === '') return [];
    return set.split('|').map((text) => {
      const at = text.indexOf('=');
      return { language: text.slice(0, at) || undefined, name: text.slice(at + 1) };
    });
  }

  function memberRows(row: number): readonly number[] {
    if (!isGroup(row)) return [];
    return members
      .at(row)
      .split(' ')
      .map((text) => Number.parseInt(text, 36));
  }

  function make(row: number): Station | StationGroup {
    const codes: Record<string, string> = {};
    for (const system of STORED_SYSTEMS) {
      const code = codeAt(row, system);
      if (code !== undefined) codes[system] = code;
    }
    const name = names.at(row);
    const aliases = new Set(aliasesOf(row).map((alias) => alias.name));
    aliases.delete(name);
    const otherCodes = readOthers(others.at(row));
    return {
      id: idOf(row),
      name,
      zone: zones[zone[row] ?? 0] ?? '',
      country: countryOf(row),
      latitude: (latitude[row] ?? 0) / PER_DEGREE,
      longitude: (longitude[row] ?? 0) / PER_DEGREE,
      codes,
      ...(aliases.size > 0 && { aliases: [...aliases] }),
      ...(otherCodes !== undefined && { otherCodes }),
      ...(isGroup(row) && { members: memberRows(row).map(entryOf) }),
    };
  }

  function entryOf(row: number): Station | StationGroup {
    entries[row] ??= make(row);
    return entries[row];
  }

  function lookup(key: string, textAt: (row: number) => string | undefined): TextLookup {
    const known = lookups.get(key) ?? textLookup(length, textAt);
    lookups.set(key, known);
    return known;
  }

  function rowOfUic(code: string): number | undefined {
    if (!/^\d{7}$/.test(code)) return undefined;
    const uic = Number(code);
    let [low, high] = [0, head.withUic];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((uics[middle] ?? 0) < uic) low = middle + 1;
      else high = middle;
    }
    return uics[low] === uic ? low : undefined;
  }

  function rowOfOther(system: string, code: string): number | undefined {
    if (otherRows === undefined) {
      const rows = new Map<string, number>();
      for (let row = 0; row < length; row++) {
        for (const text of others.at(row).split(' ')) if (text !== '') rows.set(text, row);
      }
      otherRows = rows;
    }
    return otherRows.get(`${system}=${code}`);
  }

  function rowOfCode(system: string, code: string): number | undefined {
    const computed = Object.hasOwn(COMPUTED_SYSTEMS, system) ? COMPUTED_SYSTEMS[system] : undefined;
    if (computed !== undefined) {
      const uic = computed.toUic(code);
      return uic === undefined ? undefined : rowOfCode('uic', uic);
    }
    const row =
      system === 'uic'
        ? rowOfUic(code)
        : codeColumns.has(system)
          ? lookup(system, (each) => codeAt(each, system)).find(code)
          : undefined;
    return row ?? rowOfOther(system, code);
  }

  return {
    head,
    length,
    sellers,
    latitude,
    longitude,
    weight,
    sellerBits,
    isGroup,
    idOf,
    nameOf: (row) => names.at(row),
    countryOf,
    aliasSetOf: (row) => aliasSet[row] ?? 0,
    aliasesOf,
    memberRows,
    entryOf,
    rowOfId(id) {
      const at = id.indexOf(':');
      const [system, code] = [id.slice(0, at), id.slice(at + 1)];
      if (system === 'city') {
        const group = lookup('city', (row) => (isGroup(row) ? idOf(row) : undefined));
        return group.find(id);
      }
      if (!(STORED_SYSTEMS as readonly string[]).includes(system)) return undefined;
      const row = rowOfCode(system, code);
      return row !== undefined && idOf(row) === id ? row : undefined;
    },
    rowOfCode,
  };
}

/** The bit of a seller by its place; none for a name that is not in the list. */
export function bitOf(place: number): number {
  return place < 0 ? 0 : (1 << place) >>> 0;
}

function readOthers(text: string): Station['otherCodes'] {
  if (text === '') return undefined;
  const codes: Record<string, string[]> = {};
  for (const one of text.split(' ')) {
    const at = one.indexOf('=');
    const system = one.slice(0, at);
    codes[system] = [...(codes[system] ?? []), one.slice(at + 1)];
  }
  return codes;
}
