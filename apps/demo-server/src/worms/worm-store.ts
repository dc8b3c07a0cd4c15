import { createHistogram } from 'node:perf_hooks';
import type { HistogramSummary } from '@ticketing/dispatch';
import type { Worm } from './worm.ts';
import { WormError } from './worm-error.ts';

/** Options of filling a store. */
export interface WormFill {
  readonly count: number;
  /** Called after each batch. */
  readonly onFilled: FillListener;
  /** Ends the filling. */
  readonly signal: AbortSignal;
}

export type FillListener = (progress: { readonly filled: number; readonly count: number }) => void;

/** Limits of a store in one server process. */
export interface WormLimits {
  /** Longest that a question may take, in milliseconds. */
  readonly deadlineMs: number;
  /** Server processes that share the database. */
  readonly workers: number;
}

/** One kind of database. */
export interface WormDatabase {
  /**
   * Fills the database unless it has these documents. Returns its URL, and what removes it if it is this server's alone.
   *
   * @throws FlagError if the database cannot be used; or the signal's reason. Nothing is left then.
   */
  prepare(
    url: string,
    fill: WormFill,
  ): Promise<{ readonly url: string; readonly close?: () => Promise<void> }>;
  /** Opens a filled database for one server process. */
  open(url: string, limits: WormLimits): Promise<WormSource>;
}

/** A database as its driver gives it. */
export interface WormSource {
  /**
   * Returns the first documents of a class, {@link MOST_FOUND} at most, in the order of insertion. An abort frees what the
   * question holds; by then its caller has been answered.
   *
   * @throws WormError
   */
  find(wormClass: string, options: { readonly signal: AbortSignal }): Promise<Worm[]>;
  /** The driver's own counters. */
  stats(): unknown;
  /** Ends what is in flight. */
  close(): Promise<void>;
}

export interface WormStoreStats {
  readonly kind: string;
  /** Questions asked, in flight, and failed; those whose clients left have not failed. */
  readonly queries: number;
  readonly running: number;
  readonly errors: number;
  readonly ms: HistogramSummary;
  readonly driver: unknown;
}

/** A database that answers in time or fails. */
export interface WormStore {
  /**
   * Returns the first documents of a class, {@link MOST_FOUND} at most, in the order of insertion: the same in every store.
   *
   * `deadlineMs`: milliseconds for this question, the wait for a connection included; the store's own deadline if less.
   *
   * @throws WormError with a code, at the deadline at the latest; or the signal's reason
   */
  find(
    wormClass: string,
    options: { readonly signal: AbortSignal; readonly deadlineMs?: number },
  ): Promise<Worm[]>;
  stats(): WormStoreStats;
  /** Ends what is in flight. Idempotent. */
  close(): Promise<void>;
}

/** Gives a database its deadline and its counters. `deadlineMs`: the longest that a question may take. */
export function createWormStore(
  source: WormSource,
  { kind, deadlineMs: longestMs }: { readonly kind: string; readonly deadlineMs: number },
): WormStore {
  const microseconds = createHistogram({ figures: 3 });
  let [queries, running, errors] = [0, 0, 0];
  let closing: Promise<void> | undefined;
  const toMs = (value: number): number => Math.round(value) / 1000;
  return {
    async find(wormClass, { signal, deadlineMs = longestMs }) {
      signal.throwIfAborted();
      if (closing) {
        throw new WormError('ERR_DATABASE_UNAVAILABLE', 'Cannot find worms: the store is closed');
      }
      const startedAt = performance.now();
      queries++;
      running++;
      try {
        return await within(Math.min(deadlineMs, longestMs), signal, (ending) =>
          source.find(wormClass, { signal: ending }),
        );
      } catch (error) {
        if (!signal.aborted) errors++;
        throw error;
      } finally {
        running--;
        microseconds.record(Math.max(1, Math.round((performance.now() - startedAt) * 1000)));
      }
    },
    stats: () => ({
      kind,
      queries,
      running,
      errors,
      ms: {
        count: microseconds.count,
        mean: toMs(microseconds.count && microseconds.mean),
        p50: toMs(microseconds.count && microseconds.percentile(50)),
        p90: toMs(microseconds.count && microseconds.percentile(90)),
        p99: toMs(microseconds.count && microseconds.percentile(99)),
        max: toMs(microseconds.max),
      },
      driver: source.stats(),
    }),
    close: () => (closing ??= source.close()),
  };
}

/** Settles with the work, or at the deadline or the abort if that is first; it does not wait for the work to end then. */
async function within<T>(
  deadlineMs: number,
  signal: AbortSignal,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    const message = `Cannot find worms: the database did not answer within ${deadlineMs} ms`;
    ending.abort(new WormError('ERR_DATABASE_TIMEOUT', message));
  }, deadlineMs);
  try {
    return await new Promise<T>((resolve, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
      work(ending.signal).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
