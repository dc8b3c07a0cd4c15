import type { Station, StationGroup, StationIndex } from '@ticketing/core';
import type { StationSource } from './table/asset.ts';

/** A point on the earth, in degrees, WGS 84. */
export interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

export interface SuggestOptions {
  /** Most suggestions, 1 to 100; default: 8. */
  readonly limit?: number;
  /** Prefers stations near this point: one at it counts as 150 points of weight more, one 300 km away as none. */
  readonly near?: Point;
  /** Only stations of these countries: ISO 3166-1 alpha-2, in any case. */
  readonly countries?: readonly string[];
  /** Only stations that at least one of these sellers serves, by {@link StationBook.sellers}. */
  readonly sellers?: readonly string[];
  /** Names of cities in this language (`es`, `pt`), where the table has them. */
  readonly language?: string;
}

/** Possible meaning of a text. Plain data. */
export interface Suggestion {
  readonly kind: 'city' | 'station';
  /** Id for {@link StationBook.byId}. */
  readonly id: string;
  readonly name: string;
  /** Name as a list shows it: `Barcelona (all stations)`. */
  readonly label: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Another name, if the text means this one: `Monaco di Baviera` of München Hbf. */
  readonly alias?: string;
  /** Ranges of the text in `alias`, else in `name`: in UTF-16, ascending, their ends excluded. */
  readonly matched: readonly (readonly [start: number, end: number])[];
  /**
   * Confidence: `exact`, the text is a name, but for words like `Bahnhof`, or a code; `prefix`, each word begins one; `typo`, a guess with
   * typing errors; `partial`, a guess that leaves words aside.
   */
  readonly match: 'exact' | 'prefix' | 'typo' | 'partial';
  /** Higher is better. Comparable within one answer only. */
  readonly score: number;
}

export interface NearOptions {
  /** 0 to 500; default: 10. */
  readonly radiusKm?: number;
  /** Most stations, 1 to 100; default: 10. */
  readonly limit?: number;
}

/** All stations, found by id, code, text and place. Immutable. */
export interface StationBook extends StationIndex {
  /** All stations, without cities. Made at the first read: some 10 MB. */
  readonly stations: readonly Station[];
  /** All cities. */
  readonly groups: readonly StationGroup[];
  /** Names for `sellers` of {@link SuggestOptions}. */
  readonly sellers: readonly string[];
  /** Returns the station or city of an id, or `undefined`. Equal ids give the same object. */
  byId(id: string): Station | StationGroup | undefined;
  /** Returns the station or city that `system` knows by `code`, or `undefined`. Codes that follow from UIC numbers are computed. */
  byCode(system: string, code: string): Station | StationGroup | undefined;
  /**
   * Returns the code of a station in a system, or `undefined`: one of its `codes`, or computed of its UIC number (`uic8`, `sbb`,
   * `sloid`, `trenitaliaBff`).
   */
  codeOf(station: Station, system: string): string | undefined;
  /**
   * Returns what a text may mean, best first, in an order that is the same at every call. Every word of the text begins a word of the
   * name, in any order; if no station has such names, short forms are written out (`Bln`, `C.le`), words that people add (`gare`, `de`) are left
   * out, then typing errors are tolerated, then words left aside: `match` has the way. Codes are texts too: numbers (UIC, IBNR, Renfe), and
   * capitals (IATA, CRS, Ril 100). None for what is not in the table.
   * None for a text of more than 100 characters, or none that is a letter or digit. Never throws for any text.
   *
   * @throws TypeError or RangeError for a wrong option
   */
  suggest(text: string, options?: SuggestOptions): readonly Suggestion[];
  /**
   * Returns the stations around a point, nearest first.
   *
   * @throws TypeError or RangeError for a wrong point or option
   */
  near(
    point: Point,
    options?: NearOptions,
  ): readonly { readonly station: Station; readonly km: number }[];
  /** Returns the stations of a city, the most important first; none for any other id. */
  membersOf(id: string): readonly Station[];
  /** Credit that users of the data must show: it is under ODbL 1.0. */
  readonly attribution: string;
  /** `YYYY-MM`: the month of the list that most stations are from; `sources` has the others. */
  readonly asOf: string;
  /** Hash of the table: two tables with the same hash are the same. */
  readonly sha256: string;
  readonly sources: readonly StationSource[];
}
