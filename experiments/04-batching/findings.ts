import type { Measured } from '../src/rounds/measure-rounds.ts';

/** The measurements, stored in `results.json`. */
export interface Findings {
  readonly documents: number;
  readonly clients: number;
  readonly workers: number;
  /** Whether there was a PostgreSQL server. */
  readonly postgres: boolean;
  /** One process; setting = the query. */
  readonly single: readonly Measured[];
  /** The same with one client: the cost of the query itself. */
  readonly alone: readonly Measured[];
  /** Several processes; setting = the query. */
  readonly several: readonly Measured[];
  /** Several processes that search; setting = how keys are drawn. */
  readonly chain: readonly Measured[];
  readonly keys: number;
  /** How the published queue answered two clients at once. */
  readonly published: string;
}

/** Queries of the experiment, which differ in cost. */
export const QUERIES = {
  /** Stops at the tenth match. */
  early: { name: 'stops early', path: '/api/v1/worms/utilize' },
  /** Full scan: nothing matches. */
  whole: { name: 'full scan', path: '/api/v1/worms/nobody' },
} as const;

/** Subjects in one process, by the names in the tables: each queue beside the same server without one. */
export const PAIRS = [
  { without: 'no queue', gaining: ["the seed's queue, fixed", 'our coalescer'] },
  {
    without: 'demo, SQLite, `--coalesce off`',
    gaining: ['demo, SQLite, `--coalesce on`'],
  },
  {
    without: 'demo, PostgreSQL, `--coalesce off`',
    gaining: ['demo, PostgreSQL, `--coalesce on`'],
  },
] as const;

/** In several processes. */
export const SEVERAL = {
  perWorker: '`--accept cluster --coalesce on`',
  machine: '`--accept cluster --coalesce machine`',
  routed: '`--accept socket --route-by search-key --coalesce on`',
} as const;

export const DRAWS = { uniform: 'uniform', zipf: 'Zipf' } as const;
