import type { HistogramSummary } from '@ticketing/dispatch';
import type { Worm } from './worm.ts';

/** `none`: a store without documents, for which nothing is opened. */
export type WormStoreKind = 'none' | 'sqlite' | 'postgres' | 'mongodb';

/** Where the documents are. Plain data: serving processes are told of it. */
export interface WormLocation {
  readonly kind: WormStoreKind;
  /** The database's URL, password included; of SQLite the path of its file; of `none` ''. */
  readonly url: string;
}

/** A database as its driver gives it. */
export interface WormSource {
  /**
   * Gives the first documents of a class, {@link MOST_FOUND} at most, in the order of insertion. An abort frees what the
   * question held; the caller waits no longer anyway.
   *
   * @throws WormError
   */
  find(wormClass: string, options: { readonly signal: AbortSignal }): Promise<Worm[]>;
  /** What the driver counts. */
  stats(): unknown;
  /** Ends what is in flight. */
  close(): Promise<void>;
}

export interface WormStoreStats {
  readonly kind: WormStoreKind;
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
   * Gives the first documents of a class, {@link MOST_FOUND} at most, in the order of insertion: in every store the same.
   *
   * `deadlineMs`: milliseconds for this question, the wait for a connection included; no more than the store's own.
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

/** A store that has its documents. */
export interface PreparedWorms {
  readonly location: WormLocation;
  /** Removes what was made for this server alone. */
  close(): Promise<void>;
}

/** What a store is filled with. */
export interface WormFill {
  readonly count: number;
  /** Is told after each batch. */
  readonly onFilled: FillListener;
  /** Ends the filling. */
  readonly signal: AbortSignal;
}

export type FillListener = (progress: { readonly filled: number; readonly count: number }) => void;

/** Filling that takes less is not worth a line. */
const WORTH_A_LINE = 100_000;
const WIDTH = 30;

/** Where people read. */
interface ReportStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows how far filling is: a bar that goes when it is done, on a terminal; and a line at the end if there was much to do. */
export function fillReport(
  stream: ReportStream,
  now: () => number = () => performance.now(),
): FillListener {
  const startedAt = now();
  return ({ filled, count }) => {
    if (stream.isTTY) {
      const done = Math.round((filled / count) * WIDTH);
      const bar = '█'.repeat(done) + '░'.repeat(WIDTH - done);
      const text = `worms  ${bar} ${inThousands(filled)} of ${inThousands(count)}`;
      // Carriage return, then erase to the end of the line.
      stream.write(`\r\u001b[K${filled < count ? text : ''}`);
    }
    if (filled === count && count > WORTH_A_LINE) {
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      stream.write(`Filled the store with ${inThousands(count)} worms in ${seconds} s\n`);
    }
  };
}

function inThousands(count: number): string {
  return count.toLocaleString('en-US');
}
