import type { Measured } from '../src/rounds/measure-rounds.ts';

/** What was measured; kept in `results.json`. */
export interface Findings {
  /** Of the cluster. */
  readonly workers: number;
  readonly clients: readonly number[];
  readonly measured: readonly Measured[];
  /** Which process answered each of eight requests in a row, by its place among those that did. */
  readonly servedBy: {
    readonly keptConnection: readonly number[];
    readonly newConnections: readonly number[];
  };
}

export const SINGLE = 'single';
export const CLUSTER = 'cluster';

/** A load: how many clients, whether each request is logged, whether connections are kept. */
export interface Load {
  readonly clients: number;
  readonly logs: boolean;
  readonly reuse: boolean;
}

export function settingOf({ clients, logs, reuse }: Load): string {
  return `c=${clients}, logging ${logs ? 'on' : 'off'}, ${reuse ? 'kept' : 'new'} connections`;
}
