import type { Flags } from './flags/flags.ts';
import type { WormLocation } from './worms/worm-store.ts';

const VARIABLE = 'DEMO_SERVING';

/** What a serving process is told when it is started. */
export interface ServingStart {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** Base64, the same for all: with TLS a session that began with one goes on with another. */
  readonly ticketKeys: string;
}

/** The environment that tells it. */
export function servingEnvironment(start: ServingStart): Record<string, string | undefined> {
  return { ...process.env, [VARIABLE]: JSON.stringify(start) };
}

/** Reads it. */
export function servingStart(): ServingStart {
  return JSON.parse(process.env[VARIABLE] ?? '{}') as ServingStart;
}
