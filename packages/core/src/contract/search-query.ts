import type { LocalDate } from '../model/local-clock.ts';
import type { Station, StationGroup } from '../stations/station-index.ts';
import type { SearchPage } from './search-page.ts';

/** One traveller. Without an age an adult. */
export interface Passenger {
  /** Years, 0 to 120. */
  readonly age?: number;
  /** Codes of cards that reduce fares, at most 8. */
  readonly cards?: readonly string[];
}

/** Question of a search: ends, time and travellers. Holds whole stations, so another process needs no table of them. */
export interface SearchQuery {
  readonly origin: Station | StationGroup;
  readonly destination: Station | StationGroup;
  /** Day of departure at the origin; with `arriveBy` day of arrival at the destination. */
  readonly date: LocalDate;
  /** `HH:MM` at the origin: departures from then on. With `arriveBy`, at the destination: arrivals until then. */
  readonly time?: string | undefined;
  /** Needs `time`. Default false. */
  readonly arriveBy?: boolean | undefined;
  /** Station at which a journey calls or changes; of a group any of its stations. */
  readonly via?: Station | StationGroup | undefined;
  /** Changes at most, 0 to 8. */
  readonly maxTransfers?: number | undefined;
  /** Offers of another class are left out. */
  readonly travelClass?: 'first' | 'second' | undefined;
  /** Number of adults, or each traveller: 1 to 9. Default 1. */
  readonly passengers?: number | readonly Passenger[] | undefined;
  /** Rides have the stations where they call on the way, where the carrier names them: answers are several times larger. Default false. */
  readonly stops?: boolean | undefined;
  /**
   * ISO 4217 code in which prices are wanted: carriers that price in several currencies are asked for it, and what comes in another is
   * converted by the rates of the search. Default: as sellers price; converted to the base of the rates, if there are any.
   */
  readonly currency?: string | undefined;
  /** Page before or after an earlier result, from its `pages`. */
  readonly page?: SearchPage | undefined;
}

/** A checked query with every field that has a default. */
export interface ResolvedQuery extends Omit<SearchQuery, 'passengers'> {
  /** Travellers, at least one. */
  readonly passengers: readonly Passenger[];
}

/**
 * Query to one carrier: ends and `via` are single stations, and of `time`, `arriveBy`, `via`, `maxTransfers`,
 * `travelClass` and `currency` it has the fields in the carrier's `capabilities.native`.
 */
export interface CarrierQuery
  extends Omit<ResolvedQuery, 'origin' | 'destination' | 'via' | 'page'> {
  readonly origin: Station;
  readonly destination: Station;
  readonly via?: Station | undefined;
  /** The token of an earlier answer, and where it leads. Only for carriers whose `capabilities.window` is `page`. */
  readonly page?: { readonly direction: 'earlier' | 'later'; readonly token: string } | undefined;
  /** Last day of a calendar that begins at `date`: the carrier answers its prices by day, and no journeys. Only with `capabilities.asks`. */
  readonly calendarUntil?: LocalDate | undefined;
  /** Way back of a round trip: the carrier answers offers for both ways together. Only with `capabilities.asks`. */
  readonly returns?: ReturnLeg | undefined;
}

/** Way back of a round trip. */
export interface ReturnLeg {
  /** Day of departure at the destination. */
  readonly date: LocalDate;
  /** `HH:MM` at the destination: departures from then on. Only for carriers that have `time` in `capabilities.native`. */
  readonly time?: string | undefined;
}
