import type { Flags } from './flags/flags.ts';
import type { WormLocation } from './worms/worm-store.ts';

/** The server, whatever processes it has. */
export interface Serving {
  readonly url: string;
  readonly carriersUrl: string;
  /** Replaces its workers one by one; no request fails. */
  reload(): Promise<void>;
  /** Stops accepting, answers what is in flight, closes everything. Idempotent. */
  close(): Promise<void>;
}

/** What each way of serving is given. */
export interface ServeGiven {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  readonly now: () => number;
  readonly log: (line: string) => void;
}
