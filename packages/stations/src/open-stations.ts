import { readFile } from 'node:fs/promises';
import type { Station, StationGroup, StationMatch } from '@ticketing/core';
import { MAX_STATION_TEXT } from '@ticketing/core';
import {
  aFlag,
  between,
  type Rules,
  resolveByRules,
  showValue,
  texts,
  wholeBetween,
} from '@ticketing/kit';
import { createPlaceIndex, distanceKm, type PlaceIndex, pointOf } from './nearby.ts';
import type { FoundRow } from './search/best-rows.ts';
import { createRowFinder, OWN_NAME_POINTS, type RowFinder } from './search/find-rows.ts';
import { bestMatch } from './search/matched.ts';
import { buildWordIndex } from './search/word-index.ts';
import type {
  NearOptions,
  Point,
  StationBook,
  Suggestion,
  SuggestOptions,
} from './station-book.ts';
import { attribution, readAsset } from './table/asset.ts';
import { COMPUTED_SYSTEMS } from './table/code-systems.ts';
import { bitOf, openTable, type StationTable } from './table/station-table.ts';

export interface OpenStationsOptions {
  /** Only these countries, ISO 3166-1 alpha-2; default: all. A smaller index takes less memory. */
  readonly countries?: readonly string[];
  /** True to index texts now, some 0.15 s; `false`: at the first `suggest` or `find`. Default: true. */
  readonly index?: boolean;
}

const openRules: Rules = {
  countries: texts,
  index: { ...aFlag, fallback: true },
};

/**
 * Opens the table of stations, which is in this package: reads one file, nothing else.
 *
 * @throws TypeError for a wrong option, or a country that the table has no station of
 * @example
 * const stations = await openStations();
 * stations.suggest('barclona')[0]; // { kind: 'city', id: 'city:es:barcelona', … }
 */
export async function openStations(options: OpenStationsOptions = {}): Promise<StationBook> {
  const resolved = resolveByRules<Required<OpenStationsOptions>>(
    'open stations',
    options,
    openRules,
  );
  const { head, section } = await readAsset(await readFile(ASSET));
  return createStationBook(openTable(head, section), resolved);
}

/** File of the table, which is beside `src` as it is beside `dist`. */
const ASSET = new URL('../data/stations.bin', import.meta.url);

/** Points that a station at the point of `near` has more than one {@link NEAR_KM} away. */
const NEAR_POINTS = 150;
const NEAR_KM = 300;
/** Most stations that `find` names when a text means several, or none. */
const MOST_CANDIDATES = 10;
const MOST_NEAREST = 5;
/** Kilometres from a city to the stations that its name means too: airports are farther away than others. */
const BESIDE_KM = 60;
/** Points below the first match at which another match counts as not meant: a village that also has a name of Munich. */
const UNLIKELY_POINTS = 100;
/** Points for a typed code of a station: more than for the beginning of a name. */
const CODE_SCORE = 2000;

const aPoint = {
  expected: 'a point with latitude -90 to 90 and longitude -180 to 180',
  test(value: unknown) {
    const { latitude, longitude } = Object(value) as Partial<Point>;
    return between(-90, 90).test(latitude) && between(-180, 180).test(longitude);
  },
};
const nearRules: Rules = { radiusKm: between(0, 500, 10), limit: wholeBetween(1, 100, 10) };

/** Makes the book of a table. With `countries` everything else is as if it were not in the table. */
function createStationBook(
  table: StationTable,
  options: { readonly countries?: readonly string[] | undefined; readonly index: boolean },
): StationBook {
  const { head, sellers } = table;
  const isOpen = countryTest(table, options.countries);
  const rows = Array.from({ length: table.length }, (_, row) => row).filter(isOpen ?? (() => true));
  const stationRows = rows.filter((row) => !table.isGroup(row));
  const suggestRules: Rules = {
    limit: wholeBetween(1, 100, 8),
    near: aPoint,
    countries: texts,
    sellers: someOf(sellers),
    language: { expected: 'a text', test: (value) => typeof value === 'string' },
  };
  let finder: RowFinder | undefined;
  let places: PlaceIndex | undefined;
  let stations: readonly Station[] | undefined;
  let groups: readonly StationGroup[] | undefined;

  function rowFinder(): RowFinder {
    finder ??= createRowFinder(table, buildWordIndex(table, isOpen ?? (() => true)));
    return finder;
  }

  function entryOf(row: number | undefined): Station | StationGroup | undefined {
    return row === undefined || isOpen?.(row) === false ? undefined : table.entryOf(row);
  }

  function suggest(text: string, suggestOptions: SuggestOptions = {}): readonly Suggestion[] {
    const wanted = resolveByRules<SuggestOptions & { readonly limit: number }>(
      'suggest stations',
      suggestOptions,
      suggestRules,
    );
    if (typeof text !== 'string' || text.length > MAX_STATION_TEXT) return [];
    const { near } = wanted;
    const accepts = acceptTest(wanted);
    const found = rowFinder().find(text, {
      limit: wanted.limit,
      accepts,
      bonus: near && ((row) => nearPoints(distanceKm(table, row, near))),
    });
    const coded = codedRows(text, found.rows).filter((row) => accepts?.(row) !== false);
    return withCoded(found.rows, coded, wanted.limit).map(({ row, score, match }) => {
      const aliases = table.aliasesOf(row);
      const isCity = table.isGroup(row);
      const own = table.nameOf(row);
      const { language } = wanted;
      const local = isCity && aliases.find((alias) => alias.language === language && language);
      const name = local ? local.name : own;
      const names = [...new Set([name, own, ...aliases.map((alias) => alias.name)])];
      const matched = bestMatch(names, found);
      return {
        kind: isCity ? 'city' : 'station',
        id: table.idOf(row),
        name,
        label: isCity ? `${name}${CITY_LABEL}` : name,
        country: table.countryOf(row),
        ...(matched.name !== name && { alias: matched.name }),
        matched: matched.ranges,
        match,
        score,
      };
    });
  }

  function acceptTest({ countries, sellers: names }: SuggestOptions) {
    if (countries === undefined && names === undefined) return undefined;
    const codes = countries && new Set(countries.map((country) => country.toUpperCase()));
    const bits = names?.reduce((sum, name) => sum | bitOf(sellers.indexOf(name)), 0);
    return (row: number): boolean =>
      (codes === undefined || codes.has(table.countryOf(row))) &&
      (bits === undefined || ((table.sellerBits[row] ?? 0) & bits) !== 0);
  }

  function find(text: string): StationMatch {
    if (typeof text !== 'string' || text.length > MAX_STATION_TEXT) {
      return { kind: 'unknown', nearest: [] };
    }
    const trimmed = text.trim();
    const coded = byText(trimmed);
    if (coded.length > 0) return matchOf(coded);
    if (trimmed.endsWith(CITY_LABEL)) {
      const name = trimmed.slice(0, -CITY_LABEL.length);
      const { own, other } = rowFinder().named(name);
      // Münster is not Munster where a label is repeated.
      const same = own.filter((row) => table.nameOf(row) === name);
      const cities = [same, own, other].map((list) => list.filter(table.isGroup));
      const city = cities.find(({ length }) => length > 0);
      if (city !== undefined) return matchOf(city.slice(0, MOST_CANDIDATES));
    }
    const named = namedRows(text);
    if (named.length > 0) return matchOf(withoutMembers(named));
    const { rows: begun } = rowFinder().find(text, { limit: MOST_CANDIDATES, isExact: true });
    const lettered = codedRows(trimmed, begun);
    if (lettered.length > 0) return matchOf(lettered);
    if (begun.length > 0) return matchOf(begun.map(({ row }) => row));
    let nearest: readonly (Station | StationGroup)[] | undefined;
    return {
      kind: 'unknown',
      // Who does not read them does not pay for them.
      get nearest() {
        nearest ??= rowFinder()
          .find(text, { limit: MOST_NEAREST })
          .rows.map(({ row }) => table.entryOf(row));
        return nearest;
      },
    };
  }

  /** Rows whose own name a text is, else rows that have it as another name: both where one of these counts for more, as for `Cologne`. */
  function namedRows(text: string): readonly number[] {
    const { own, other } = rowFinder().named(text);
    const weightOf = (row = -1): number => table.weight[row] ?? 0;
    const likely = other.filter((row) => weightOf(row) > weightOf(other[0]) - UNLIKELY_POINTS);
    if (own.length === 0) return likely;
    return weightOf(other[0]) > weightOf(own[0]) + OWN_NAME_POINTS ? [...likely, ...own] : own;
  }

  /** Rows of an id, or of a code with or without its system. */
  function byText(text: string): number[] {
    const at = text.indexOf(':');
    const found =
      at < 0
        ? CODED.test(text)
          ? codeSystems.map((system) => table.rowOfCode(system, text))
          : []
        : [table.rowOfId(text) ?? table.rowOfCode(text.slice(0, at), text.slice(at + 1))];
    return [...new Set(found)].filter(
      (row): row is number => row !== undefined && isOpen?.(row) !== false,
    );
  }

  /** Rows of a text that is a code: of numbers always, of letters if they are capitals, or nothing is found by its words. */
  function codedRows(text: string, found: readonly FoundRow[]): number[] {
    const trimmed = text.trim();
    const coded = NUMBERED.test(trimmed) ? byText(trimmed) : [];
    const isNamed = found.some(({ match }) => match === 'exact' || match === 'prefix');
    const letters = isNamed ? trimmed : trimmed.toUpperCase();
    if (coded.length > 0 || !LETTERED.test(letters)) return coded;
    const rows = letterSystems.map((system) => table.rowOfCode(system, letters));
    const known = rows.find((row) => row !== undefined && isOpen?.(row) !== false);
    return known === undefined ? [] : [known];
  }

  /** Returns the rows without stations that a city among them contains, or is beside: the lists do not give each station its city. */
  function withoutMembers(list: readonly number[]): readonly number[] {
    const members = new Set(list.flatMap((row) => table.memberRows(row)));
    const points = list.filter(table.isGroup).map((row) => pointOf(table, row));
    const isBeside = (row: number): boolean =>
      !table.isGroup(row) && points.some((point) => distanceKm(table, row, point) < BESIDE_KM);
    return list.filter((row) => !members.has(row) && !isBeside(row)).slice(0, MOST_CANDIDATES);
  }

  function matchOf(list: readonly number[]): StationMatch {
    const [first, ...others] = list.map(table.entryOf);
    if (first === undefined) return { kind: 'unknown', nearest: [] };
    return others.length === 0
      ? { kind: 'found', station: first }
      : { kind: 'ambiguous', candidates: [first, ...others] };
  }

  if (options.index) rowFinder();
  return {
    get stations() {
      stations ??= stationRows.map(table.entryOf);
      return stations;
    },
    get groups() {
      groups ??= rows.filter(table.isGroup).map((row) => table.entryOf(row) as StationGroup);
      return groups;
    },
    sellers,
    byId: (id) => entryOf(typeof id === 'string' ? table.rowOfId(id) : undefined),
    byCode: (system, code) => entryOf(table.rowOfCode(system, code)),
    codeOf,
    suggest,
    near(point, nearOptions = {}) {
      if (!aPoint.test(point)) throw wrongPoint(point);
      const within = resolveByRules<Required<NearOptions>>('find stations', nearOptions, nearRules);
      places ??= createPlaceIndex(table, stationRows);
      return places.near(point, within).map(({ row, km }) => ({ station: table.entryOf(row), km }));
    },
    membersOf(id) {
      const row = typeof id === 'string' ? table.rowOfId(id) : undefined;
      const isMember = (one: number) => isOpen?.(one) !== false;
      return row === undefined || isOpen?.(row) === false
        ? []
        : table.memberRows(row).filter(isMember).map(table.entryOf);
    },
    find,
    attribution,
    asOf: head.asOf,
    sha256: head.sha256,
    sources: head.sources,
  };
}

/** A text that may be a code. */
const CODED = /^[A-Za-z0-9_]{2,12}$/;
/** A text that has a number, or a system before its code. */
const NUMBERED = /[\d:]/;
/** A text that may be a code of letters. */
const LETTERED = /^[A-Z]{2,5}$/;
/** Systems of letter codes; the first one that knows a code has it. */
const letterSystems = ['iata', 'atoc', 'ds100', 'sncf'] as const;
/** Text behind the name of a city, which means all of its stations. */
const CITY_LABEL = ' (all stations)';
/** Systems whose codes are understood without their names: codes of letters would hide short names. */
const codeSystems = ['uic', 'ibnr', 'renfe', 'trenitalia', 'uic8', 'trenitaliaBff'] as const;

/** Puts the rows that have a text as their code behind the rows that have it as a name. */
function withCoded(
  found: readonly FoundRow[],
  coded: readonly number[],
  limit: number,
): readonly FoundRow[] {
  if (coded.length === 0) return found;
  const others = found.filter(({ row }) => !coded.includes(row));
  const named = others.filter(({ match }) => match === 'exact');
  const rest = others.filter(({ match }) => match !== 'exact');
  const score = named.at(-1)?.score ?? Math.max(CODE_SCORE, rest[0]?.score ?? 0);
  const rows = coded.map((row): FoundRow => ({ row, score, match: 'exact' }));
  return [...named, ...rows, ...rest].slice(0, limit);
}

function codeOf({ codes }: Station, system: string): string | undefined {
  if (Object.hasOwn(codes, system)) return codes[system];
  const computed = Object.hasOwn(COMPUTED_SYSTEMS, system) ? COMPUTED_SYSTEMS[system] : undefined;
  const { uic } = codes;
  return uic === undefined ? undefined : computed?.fromUic(uic);
}

function nearPoints(km: number): number {
  return Math.round(NEAR_POINTS * Math.max(0, 1 - km / NEAR_KM));
}

function wrongPoint(point: unknown): TypeError {
  return new TypeError(
    `Cannot find stations: \`point\` must be ${aPoint.expected}, got ${showValue(point)}`,
  );
}

function someOf(names: readonly string[]): Rules[string] {
  return {
    expected: `some of ${names.join(', ')}`,
    test: (value) => Array.isArray(value) && value.every((one) => names.includes(one)),
  };
}

/** Returns a test of rows, or nothing if all are taken. @throws TypeError for a country without stations */
function countryTest(
  table: StationTable,
  countries: readonly string[] | undefined,
): ((row: number) => boolean) | undefined {
  if (countries === undefined) return undefined;
  const known = new Set(Array.from({ length: table.length }, (_, row) => table.countryOf(row)));
  const wanted = new Set(countries.map((country) => country.toUpperCase()));
  const unknown = [...wanted].find((country) => !known.has(country));
  if (unknown !== undefined || wanted.size === 0) {
    throw new TypeError(
      `Cannot open stations: \`countries\` must be some of ${[...known].sort().join(', ')}, got ${unknown ?? 'none'}`,
    );
  }
  return (row) => wanted.has(table.countryOf(row));
}
