import type { BucketCounts } from '@ticketing/kit';
import type { SourceNote } from './source-note.ts';

/**
 * - `ok`: the source answered; `empty`: the question has no answer, as the codes `NO_RESULTS`,
 *   `NOT_SERVED` and `DATE_OUT_OF_RANGE`
 * - `timeout`: it was late; `error`: it failed; `rejected-busy`: it, or a queue before it, was full;
 *   `rate-limited`: it was asked too often; `circuit-open`: it failed so often that it is not asked for a while
 * - `cancelled`: the caller left
 */
export type SourceState =
  | 'running'
  | 'ok'
  | 'empty'
  | 'timeout'
  | 'error'
  | 'cancelled'
  | 'rejected-busy'
  | 'rate-limited'
  | 'circuit-open';

/** A state in which a source ends. */
export type SettledState = Exclude<SourceState, 'running'>;

/** Reason why a source has no answer, as plain data. */
export interface SourceError {
  /**
   * The `code` of what was thrown, as it is; without one `TIMEOUT` or `ABORTED` by its name, else `INTERNAL`.
   * The scatter's own are `TIMEOUT` at the deadline, `OVERLOADED` above `maxInFlight`, `ABORTED` when the caller left.
   */
  readonly code: string;
  /** Name of the error's class, such as `TypeError`. */
  readonly name: string;
  readonly message: string;
  /** A copy of its `data`, where it has one that survives `structuredClone`. */
  readonly data?: unknown;
}

/** The state of one source in one scatter. */
export interface SourceStatus<Id extends string = string> extends SourceNote {
  readonly source: Id;
  readonly state: SourceState;
  /** Milliseconds from the start of the scatter until this source settled. */
  readonly ms: number;
  readonly error?: SourceError;
}

/** Counters of scatters since the start. */
export interface CallStats {
  readonly state: 'open' | 'closed';
  /** Calls in flight. */
  readonly running: number;
  /** Calls that every source answered. */
  readonly complete: number;
  /** Calls that ended without the answer of some source. */
  readonly partial: number;
  /** Calls whose caller left. */
  readonly aborted: number;
}

/** Number of ends of each source, by state. */
export type EndsBySource = Readonly<Record<string, Readonly<Record<SettledState, number>>>>;

/**
 * Durations of each source, by the state in which it ended: counts of 14 buckets, and of longer ones. Only states that
 * have occurred.
 */
export type LatencyBySource = Readonly<
  Record<string, Readonly<Partial<Record<SettledState, BucketCounts>>>>
>;

/** Codes of a question that has no answer, which is an answer and not a failure. */
const EMPTY_CODES: ReadonlySet<string> = new Set(['NO_RESULTS', 'NOT_SERVED', 'DATE_OUT_OF_RANGE']);

/** Returns the state of a source that failed with a code of this package. */
export function stateOfCode(code: string): SettledState {
  if (EMPTY_CODES.has(code)) return 'empty';
  if (code === 'TIMEOUT') return 'timeout';
  if (code === 'RATE_LIMITED') return 'rate-limited';
  if (code === 'CIRCUIT_OPEN') return 'circuit-open';
  return code === 'OVERLOADED' ? 'rejected-busy' : 'error';
}

/** Returns whether every source answered, and none ended early. */
export function isComplete(
  statuses: readonly {
    readonly state: SourceState;
    readonly error?: { readonly code: string };
  }[],
): boolean {
  return statuses.every(
    ({ state, error }) => state === 'empty' || (state === 'ok' && error === undefined),
  );
}
