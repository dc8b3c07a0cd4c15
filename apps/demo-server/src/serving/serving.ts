import type { Flags } from '../flags/flag-specs.ts';
import type { WormLocation } from '../worms/worm-store.ts';

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

const VARIABLE = 'DEMO_SERVING';

/** What a server process is started with. */
export interface ServingStart {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** Base64, the same for all: with TLS a session that began with one goes on with another. */
  readonly ticketKeys: string;
}

/** The environment of a server process that is to start so. */
export function servingEnvironment(start: ServingStart): Record<string, string | undefined> {
  return { ...process.env, [VARIABLE]: JSON.stringify(start) };
}

/** Reads it from this process's environment. */
export function servingStart(): ServingStart {
  return JSON.parse(process.env[VARIABLE] ?? '{}') as ServingStart;
}
