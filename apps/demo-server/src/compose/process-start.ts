import type { Flags } from '../flags/flag-specs.ts';
import type { WormLocation } from '../worms/worm-databases.ts';

const VARIABLE = 'DEMO_SERVING';

/** Settings that a server process is started with. */
export interface ServingStart {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** Start of the server in epoch ms. */
  readonly startedAt: number;
  /** Base64, the same in all: each process resumes the TLS sessions of the others. */
  readonly ticketKeys: string;
}

/** Returns the environment of a server process. */
export function servingEnvironment(start: ServingStart): Record<string, string | undefined> {
  return { ...process.env, [VARIABLE]: JSON.stringify(start) };
}

/** Reads what this process was started with from its environment. */
export function servingStart(): ServingStart {
  return JSON.parse(process.env[VARIABLE] ?? '{}') as ServingStart;
}
