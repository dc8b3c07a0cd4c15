import type { Covered } from '../contract/carrier.ts';
import type { SearchPages } from '../contract/search-page.ts';
import type { ResolvedQuery } from '../contract/search-query.ts';
import type { CarrierErrorCode } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import type { AppliedRates } from '../prices/convert-prices.ts';
import type { SourceNote } from '../scatter/source-note.ts';
import type {
  CallStats,
  EndsBySource,
  LatencyBySource,
  SourceState,
} from '../scatter/source-status.ts';
import type { Place, StationId } from '../stations/station-index.ts';
import type { IgnoredField } from './native-fields.ts';

/**
 * State of a carrier, as of every source of a scatter: `ok` and `empty` are answers with and without journeys,
 * {@link SourceState} has the others.
 */
export type CarrierState = SourceState;

/** The state of one carrier in one search. */
export interface CarrierStatus extends SourceNote {
  readonly carrier: CarrierId;
  readonly state: CarrierState;
  /** Milliseconds from the start of the search until this carrier settled. */
  readonly ms: number;
  /** Journeys in the carrier's answer. */
  readonly found: number;
  /** Number of journeys in the carrier's answer that the model cannot hold. Absent: none. */
  readonly filtered?: number;
  /** Number of the journeys left out by the reason, in words. */
  readonly leftOut?: Readonly<Record<string, number>>;
  /** Departures that the answer covers, where that is not the whole day. */
  readonly covers?: Covered;
  /** Fields of the query that the answer ignores: its prices are for adults, or without cards. Absent: none. */
  readonly ignored?: readonly IgnoredField[];
  /** Reason why the carrier did not answer. With state `ok`: why its answer ends early, at the end of `covers`. */
  readonly error?: {
    readonly code: CarrierErrorCode;
    readonly retryable: boolean;
    readonly message: string;
    /** Milliseconds after which it may be asked again: the carrier, or a guard before it, asked to wait so long. */
    readonly retryAfterMs?: number;
  };
}

/** The answers of all carriers as one. */
export interface SearchResult {
  readonly query: ResolvedQuery;
  /** Merged, in one total order. */
  readonly journeys: readonly Journey[];
  /** Every station that legs name, by its id: a client needs no table. */
  readonly places: Readonly<Record<StationId, Place>>;
  /** Names of the operators that legs name, by their ids. One that no carrier named is not in it. */
  readonly operators: Readonly<Record<string, string>>;
  /** Pages of earlier and later journeys. Absent: there are none. */
  readonly pages?: SearchPages;
  /** Rates by which prices are converted. Absent: the search has none, and no two currencies are compared. */
  readonly rates?: AppliedRates;
  /** One per carrier, in the order of option `carriers`. */
  readonly carriers: readonly CarrierStatus[];
  /** True if every carrier answered, and none ended early. */
  readonly complete: boolean;
  readonly ms: number;
}

/** Result of the search over one hub. */
export interface HubResult {
  /** Id of the station or city. */
  readonly at: StationId;
  readonly minMinutes: number;
  readonly maxMinutes: number;
  /** Number of journeys of the result that change there. */
  readonly found: number;
  /** One status per carrier of the journeys to the hub. */
  readonly to: readonly CarrierStatus[];
  /** One status per carrier of the journeys from the hub. */
  readonly from: readonly CarrierStatus[];
}

/** An event of a stream: started, then each carrier's status and journeys as they come, then done. */
export type SearchEvent =
  | {
      readonly type: 'search-started';
      readonly query: ResolvedQuery;
      readonly carriers: readonly CarrierStatus[];
      /** Epoch ms. */
      readonly deadline: number;
      readonly rates?: AppliedRates;
    }
  | { readonly type: 'carrier-status'; readonly status: CarrierStatus }
  | {
      readonly type: 'journeys-upsert';
      /** 1, 2, 3 … within one search. */
      readonly seq: number;
      /** New journeys, and new states of known ones, by `id`. */
      readonly journeys: readonly Journey[];
      /** Ids that are gone: such a journey was merged into another one. */
      readonly removed: readonly string[];
      /** New places, and better names of known ones, by id. */
      readonly places: Readonly<Record<StationId, Place>>;
      /** New names of operators, by their ids. */
      readonly operators: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'search-done';
      readonly carriers: readonly CarrierStatus[];
      readonly complete: boolean;
      /** Journeys that remain. */
      readonly found: number;
      readonly pages?: SearchPages;
      /** Hubs that were asked, of a search over hubs. */
      readonly hubs?: readonly HubResult[];
      readonly ms: number;
    };

/** Counters since the start, of searches and of each carrier. */
export interface SearchStats extends CallStats {
  /** Number of ends of each carrier, by state. */
  readonly carriers: EndsBySource;
  /** Durations of each carrier (`CarrierStatus.ms`), by the state in which it ended. */
  readonly latency: LatencyBySource;
}
