import type { CarrierErrorCode } from './errors.ts';
import type { CarrierId, Journey } from './journey.ts';
import type { ResolvedQuery } from './search-query.ts';

/**
 * - `ok`, `empty`: it answered, with or without journeys
 * - `timeout`: it was late; `error`: it failed; `rejected-busy`: it, or the queue before it, was full
 * - `cancelled`: the caller left
 */
export type CarrierState =
  | 'running'
  | 'ok'
  | 'empty'
  | 'timeout'
  | 'error'
  | 'cancelled'
  | 'rejected-busy';

/** How one carrier fared in one search. */
export interface CarrierStatus {
  readonly carrier: CarrierId;
  readonly state: CarrierState;
  /** Milliseconds from the start of the search to its end for this carrier. */
  readonly ms: number;
  /** Journeys in its answer. */
  readonly found: number;
  readonly error?: {
    readonly code: CarrierErrorCode;
    readonly retryable: boolean;
    readonly message: string;
  };
}

/** The one answer made of all the carriers' answers. */
export interface SearchResult {
  readonly query: ResolvedQuery;
  /** Merged, in one total order. */
  readonly journeys: readonly Journey[];
  /** One a carrier, in the order in which the carriers were configured. */
  readonly carriers: readonly CarrierStatus[];
  /** Whether every carrier answered. */
  readonly complete: boolean;
  readonly ms: number;
}

/** What a stream yields: started, then each carrier's status and journeys as they come, then done. */
export type SearchEvent =
  | {
      readonly type: 'search-started';
      readonly query: ResolvedQuery;
      readonly carriers: readonly CarrierStatus[];
      /** Epoch ms. */
      readonly deadline: number;
    }
  | { readonly type: 'carrier-status'; readonly status: CarrierStatus }
  | {
      readonly type: 'journeys-upsert';
      /** 1, 2, 3 … within one search. */
      readonly seq: number;
      /** New journeys, and new states of known ones, by `id`. */
      readonly journeys: readonly Journey[];
      /** Ids that are no more: such a journey was merged into another one. */
      readonly removed: readonly string[];
    }
  | {
      readonly type: 'search-done';
      readonly carriers: readonly CarrierStatus[];
      readonly complete: boolean;
      /** Journeys that remain. */
      readonly found: number;
      readonly ms: number;
    };
