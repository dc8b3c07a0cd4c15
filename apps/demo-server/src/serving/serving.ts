import type { Flags } from '../flags/flag-specs.ts';
import type { QuestionTasks } from '../questions.ts';
import type { CarrierTasks } from '../search/carriers.ts';
import type { WormLocation } from '../worms/worm-databases.ts';

/** The server, whatever processes it has. */
export interface Serving {
  readonly url: string;
  readonly carriersUrl: string;
  /** Replaces its workers one by one; no request fails. */
  reload(): Promise<void>;
  /** Stops accepting, answers what is in flight, closes everything. Idempotent. */
  close(): Promise<void>;
}

/** Starts the processes of one value of `--accept`. */
export type StartServing = (context: ServeContext) => Promise<Omit<Serving, 'carriersUrl'>>;

export interface ServeContext {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** What a process reports of itself. */
export interface ProcessStatus {
  readonly pid: number;
  readonly role: 'primary' | 'server';
  /** Counters of every part. */
  readonly stats: Readonly<Record<string, unknown>>;
  /** Pids of the processes that run its tasks, besides itself. */
  readonly taskPids: readonly number[];
}

/** Tasks that a server process runs for the others. */
export type ServingTasks = CarrierTasks & QuestionTasks & { status(): ProcessStatus };

/** Tasks that the primary runs for the server processes: it passes work on, and holds what they share. */
export type PrimaryTasks = CarrierTasks & QuestionTasks & { overview(): Promise<ProcessStatus[]> };

const VARIABLE = 'DEMO_SERVING';

/** What a server process is started with. */
export interface ServingStart {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
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
