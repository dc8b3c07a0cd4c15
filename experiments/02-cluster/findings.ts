import type { Measured } from '../src/rounds/measure-rounds.ts';

/** The measurements, stored in `results.json`. */
export interface Findings {
  /** Workers of the cluster. */
  readonly workers: number;
  readonly clients: readonly number[];
  readonly measured: readonly Measured[];
  /** The process that answered each of eight requests in a row, numbered by first appearance. */
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
