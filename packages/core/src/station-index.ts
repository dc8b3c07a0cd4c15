import { editDistance } from './edit-distance.ts';
import type { Station, StationId } from './station.ts';

/** Longest text that {@link StationIndex.find} looks at; longer texts are unknown, with no nearest. */
export const MAX_STATION_TEXT = 100;

const NEAREST = 5;
// A name that is as near as a word of another name comes first.
const WORD_HANDICAP = 0.01;

/** What a text means: one station, or none with the nearest names, or several. */
export type StationMatch =
  | { readonly kind: 'found'; readonly station: Station }
  | { readonly kind: 'unknown'; readonly nearest: readonly Station[] }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Station[] };

/** Finds stations. Immutable. Ids, codes and names are Map reads; words and nearest names read the table. */
export interface StationIndex {
  readonly stations: readonly Station[];
  /** The station of a canonical id, or `undefined`. */
  byId(id: StationId): Station | undefined;
  /** The station that `system` knows by `code`, or `undefined`. */
  byCode(system: string, code: string): Station | undefined;
  /**
   * Understands an id (`uic:7171801`), a code with or without its system (`renfe:71801`, `7171801`),
   * and a name or alias, with or without accents, in any case and width; then the words of a name, when
   * one station alone has them. Of other texts, the five stations with the nearest names or words,
   * nearest first. Never throws.
   */
  find(text: string): StationMatch;
}

/**
 * Builds the index of a table of stations.
 *
 * @throws TypeError when two stations share an id, or a code in one system
 * @example
 * const index = createStationIndex([
 *   { id: 'uic:7171801', name: 'Barcelona Sants', zone: 'Europe/Madrid', country: 'ES',
 *     latitude: 41.3791, longitude: 2.1402, codes: { uic: '7171801', renfe: '71801' } },
 * ]);
 * index.find('barcelona SANTS'); // { kind: 'found', station: … }
 */
export function createStationIndex(stations: readonly Station[]): StationIndex {
  const byId = new Map<StationId, Station>();
  const byQualifiedCode = new Map<string, Station>();
  const byBareCode = new Map<string, Set<Station>>();
  const byName = new Map<string, Set<Station>>();
  for (const station of stations) {
    addUnique(byId, station.id, station, 'station id');
    addUnique(byQualifiedCode, station.id.toLowerCase(), station, 'station code');
    for (const [system, code] of Object.entries(station.codes)) {
      addUnique(byQualifiedCode, `${system}:${code}`.toLowerCase(), station, 'station code');
      addTo(byBareCode, code.toLowerCase(), station);
    }
    for (const name of [station.name, ...(station.aliases ?? [])]) {
      addTo(byName, foldName(name), station);
    }
  }

  function byWords(folded: string): Station[] {
    const words = folded.split(' ');
    const found = new Set<Station>();
    for (const [name, named] of byName) {
      const parts = name.split(' ');
      if (words.every((word) => parts.some((part) => part.startsWith(word)))) {
        for (const station of named) found.add(station);
      }
    }
    return [...found];
  }

  function nearest(folded: string): Station[] {
    const distance = new Map<Station, number>();
    for (const [name, named] of byName) {
      const words = name.split(' ').map((word) => editShare(folded, word) + WORD_HANDICAP);
      const edits = Math.min(editShare(folded, name), ...words);
      for (const station of named) {
        distance.set(station, Math.min(edits, distance.get(station) ?? edits));
      }
    }
    return [...distance]
      .sort(([a, x], [b, y]) => x - y || (a.id < b.id ? -1 : 1))
      .slice(0, NEAREST)
      .map(([station]) => station);
  }

  return {
    stations,
    byId: (id) => byId.get(id),
    byCode: (system, code) => byQualifiedCode.get(`${system}:${code}`.toLowerCase()),
    find(text) {
      if (typeof text !== 'string' || text.length > MAX_STATION_TEXT)
        return { kind: 'unknown', nearest: [] };
      const exact = text.trim().toLowerCase();
      const coded = byQualifiedCode.get(exact);
      if (coded) return { kind: 'found', station: coded };
      const folded = foldName(text);
      // One character may be eighteen when it is folded.
      if (folded === '' || folded.length > MAX_STATION_TEXT)
        return { kind: 'unknown', nearest: [] };
      for (const named of [byBareCode.get(exact), byName.get(folded), byWords(folded)]) {
        const [station, ...others] = named ?? [];
        if (station === undefined) continue;
        return others.length === 0
          ? { kind: 'found', station }
          : { kind: 'ambiguous', candidates: [station, ...others] };
      }
      return { kind: 'unknown', nearest: nearest(folded) };
    },
  };
}

/** Edits from one text to another, as a share of the longer: 0 to 1. */
function editShare(a: string, b: string): number {
  return editDistance(a, b) / Math.max(a.length, b.length);
}

/**
 * Lower case, no accents, words parted by one space: `'Málaga-María Zambrano'` → `'malaga maria zambrano'`.
 * Full-width letters and ligatures are plain ones (NFKD), and what is not seen (a soft hyphen, a joiner) is nothing.
 */
function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function addUnique(map: Map<string, Station>, key: string, station: Station, what: string): void {
  const other = map.get(key);
  if (other && other !== station) {
    throw new TypeError(
      `Cannot index stations: each ${what} once expected, got ${key} for ${other.name} and ${station.name}`,
    );
  }
  map.set(key, station);
}

function addTo(map: Map<string, Set<Station>>, key: string, station: Station): void {
  const named = map.get(key);
  if (named) named.add(station);
  else map.set(key, new Set([station]));
}
