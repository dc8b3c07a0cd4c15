import { editDistance } from '@ticketing/kit';
import { foldName } from './fold-name.ts';

/** Longest text that {@link StationIndex.find} reads; a longer one is `unknown` with no nearest names. */
export const MAX_STATION_TEXT = 100;

const NEAREST = 5;
/** Longest text that names are near to. */
const LONGEST_NEAR = 64;
// Of a whole name and a word of a name that are equally near, the whole name comes first.
const WORD_HANDICAP = 0.01;

/** Meaning of a text: one station or city, none (with the nearest names), or several. */
export type StationMatch =
  | { readonly kind: 'found'; readonly station: Station | StationGroup }
  /** No station. `nearest` may cost as much as a hundred other texts: it is found when it is first read, and then kept. */
  | { readonly kind: 'unknown'; readonly nearest: readonly (Station | StationGroup)[] }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly (Station | StationGroup)[] };

/** Finds stations and cities. Immutable. Ids, codes and names are Map reads; words and nearest names scan the table. */
export interface StationIndex {
  /** All stations, without cities. */
  readonly stations: readonly Station[];
  /** Cities; where a text means a city and its stations, the city is found. */
  readonly groups: readonly StationGroup[];
  /** Returns the station or city of an id, or `undefined`. */
  byId(id: StationId): Station | StationGroup | undefined;
  /** Returns the station or city that `system` knows by `code`, or `undefined`. */
  byCode(system: string, code: string): Station | StationGroup | undefined;
  /**
   * Returns the station or city of an id (`uic:7171801`, `city:es:madrid`), of a code with or without its
   * system (`renfe:71801`, `7171801`), or of a name or alias, with or without accents, in any case and width;
   * then by the words of a name. For any other text it returns the five with the nearest names or words,
   * nearest first, which it looks for when they are read; none for more than 64 characters. Never throws.
   */
  find(text: string): StationMatch;
}

/**
 * Builds the index of a table of stations, and of cities that group some of them.
 *
 * @throws TypeError when two share an id, or a code in one system, or a city has a station that is not in the table
 * @example
 * const index = createStationIndex([
 *   { id: 'uic:7171801', name: 'Barcelona Sants', zone: 'Europe/Madrid', country: 'ES',
 *     latitude: 41.3791, longitude: 2.1402, codes: { uic: '7171801', renfe: '71801' } },
 * ]);
 * index.find('barcelona SANTS'); // { kind: 'found', station: … }
 */
export function createStationIndex(
  stations: readonly Station[],
  groups: readonly StationGroup[] = [],
): StationIndex {
  const byId = new Map<StationId, Entry>();
  const byQualifiedCode = new Map<string, Entry>();
  const byBareCode = new Map<string, Set<Entry>>();
  const byName = new Map<string, Set<Entry>>();
  for (const station of [...stations, ...groups]) {
    addUnique(byId, station.id, station, 'station id');
    addUnique(byQualifiedCode, station.id.toLowerCase(), station, 'station code');
    for (const code of Object.values(station.codes)) addTo(byBareCode, code.toLowerCase(), station);
    for (const codes of [station.codes, station.otherCodes ?? {}]) {
      for (const [system, some] of Object.entries<string | readonly string[]>(codes)) {
        for (const code of [some].flat()) {
          addUnique(byQualifiedCode, `${system}:${code}`.toLowerCase(), station, 'station code');
        }
      }
    }
    for (const name of [station.name, ...(station.aliases ?? [])]) {
      addTo(byName, foldName(name), station);
    }
  }
  for (const { id, members } of groups) {
    for (const member of members) {
      if (!stations.includes(member)) {
        throw new TypeError(
          `Cannot index stations: city \`${id}\` has \`${member.id}\`, which is not in the table`,
        );
      }
    }
  }

  function byWords(folded: string): Entry[] {
    const begins = ` ${folded}`.split(/(?= )/);
    const found = new Set<Entry>();
    for (const [name, named] of byName) {
      // To split every name would take ten times as long.
      if (begins.every((word) => ` ${name}`.includes(word))) {
        for (const station of named) found.add(station);
      }
    }
    return [...found];
  }

  function nearest(folded: string): Entry[] {
    if (folded.length > LONGEST_NEAR) return [];
    const distance = new Map<Entry, number>();
    for (const [name, named] of byName) {
      let edits = editShare(folded, name);
      for (const word of name.split(' ')) {
        // Texts differ by their lengths, at least.
        const least = 1 - word.length / folded.length + WORD_HANDICAP;
        if (least < edits) edits = Math.min(edits, editShare(folded, word) + WORD_HANDICAP);
      }
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
    groups,
    byId: (id) => byId.get(id),
    byCode: (system, code) => byQualifiedCode.get(`${system}:${code}`.toLowerCase()),
    find(text) {
      if (typeof text !== 'string' || text.length > MAX_STATION_TEXT)
        return { kind: 'unknown', nearest: [] };
      const exact = text.trim().toLowerCase();
      const coded = byQualifiedCode.get(exact);
      if (coded) return { kind: 'found', station: coded };
      const folded = foldName(text);
      // Folding can turn one character into eighteen.
      if (folded === '' || folded.length > MAX_STATION_TEXT)
        return { kind: 'unknown', nearest: [] };
      for (const named of [byBareCode.get(exact), byName.get(folded), byWords(folded)]) {
        const [station, ...others] = withoutMembers(named ?? []);
        if (station === undefined) continue;
        return others.length === 0
          ? { kind: 'found', station }
          : { kind: 'ambiguous', candidates: [station, ...others] };
      }
      return unknownText(() => nearest(folded));
    },
  };
}

type Entry = Station | StationGroup;

/** Returns the match of a text that means no station. The nearest names are found when they are read. */
function unknownText(find: () => readonly Entry[]): StationMatch {
  let found: readonly Entry[] | undefined;
  return {
    kind: 'unknown',
    get nearest() {
      found ??= find();
      return found;
    },
  };
}

/** Returns the entries without the stations of cities among them. */
function withoutMembers(found: Iterable<Entry>): Entry[] {
  const all = [...found];
  const members = new Set(all.flatMap((one) => ('members' in one ? one.members : [])));
  return all.filter((one) => !members.has(one));
}

/** Returns the edits from one text to another as a share of the longer one, 0 to 1. */
function editShare(a: string, b: string): number {
  return editDistance(a, b) / Math.max(a.length, b.length);
}

function addUnique(map: Map<string, Entry>, key: string, station: Entry, what: string): void {
  const other = map.get(key);
  if (other && other !== station) {
    throw new TypeError(
      `Cannot index stations: ${what} \`${key}\` is used twice, by ${other.name} and ${station.name}`,
    );
  }
  map.set(key, station);
}

function addTo(map: Map<string, Set<Entry>>, key: string, station: Entry): void {
  const named = map.get(key);
  if (named) named.add(station);
  else map.set(key, new Set([station]));
}

/** `'uic:7160000'` (canonical), or `'<carrier>:<code>'` where a carrier has a code and UIC has none. */
export type StationId = string;

/** End of a leg: enough to show it without a table of stations. */
export interface Place {
  /** Id that legs have. */
  readonly id: StationId;
  readonly name: string;
  /** IANA time zone. */
  readonly zone?: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

/** Several stations that are asked as one: the stations of a city. Plain data. */
export interface StationGroup extends Station {
  /** `'city:es:madrid'`; journeys never have it. */
  readonly id: StationId;
  /** Codes of the whole group, in the systems that have one. */
  readonly codes: Readonly<Record<string, string>>;
  /** The most important one first. */
  readonly members: readonly Station[];
}

/** A place where trains call. Plain data: survives JSON and `structuredClone`. */
export interface Station {
  readonly id: StationId;
  readonly name: string;
  /** IANA time zone, for example `Europe/Madrid`. */
  readonly zone: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Degrees north, WGS 84. */
  readonly latitude: number;
  /** Degrees east, WGS 84. */
  readonly longitude: number;
  /** The station's code in each system that has one: `{ uic: '7160000', renfe: '60000' }`. */
  readonly codes: Readonly<Record<string, string>>;
  /** Further codes that mean this station. Carriers are never asked by them. */
  readonly otherCodes?: Readonly<Record<string, readonly string[]>>;
  /** Other names that people type: the city, other languages. One that two stations share is ambiguous. */
  readonly aliases?: readonly string[] | undefined;
}
