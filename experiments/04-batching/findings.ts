import type { Measured } from '../src/rounds/measure-rounds.ts';

/** What was measured; kept in `results.json`. */
export interface Findings {
  readonly documents: number;
  readonly clients: number;
  readonly workers: number;
  /** Whether there was a PostgreSQL server to ask. */
  readonly postgres: boolean;
  /** One process; setting = which query. */
  readonly single: readonly Measured[];
  /** The same of one client, which shows what a query costs. */
  readonly alone: readonly Measured[];
  /** Several processes; setting = which query. */
  readonly several: readonly Measured[];
  /** Several processes that search; setting = how keys are drawn. */
  readonly chain: readonly Measured[];
  readonly keys: number;
  /** What the queue as published did to two clients at once. */
  readonly published: string;
}

/** Queries of the experiment: their own cost is what differs. */
export const QUERIES = {
  /** Ends at the tenth document of the class. */
  early: { name: 'a class of many', path: '/api/v1/worms/utilize' },
  /** Looks at every document. */
  whole: { name: 'a class of none', path: '/api/v1/worms/nobody' },
} as const;

/** In one process, as it is called in the tables: each queue beside none on the same server. */
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
