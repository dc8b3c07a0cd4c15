import type { Measured } from '../src/rounds/measure-rounds.ts';
import type { WayName } from './ways/way.ts';

/** The compared subjects, by the names in the tables. */
export const SUBJECTS: Readonly<Record<WayName, string>> = {
  'in-process': 'in this process',
  'fork-per-search': "fork per search (the seed's)",
  'child-per-carrier': 'a child per carrier, kept',
  'fork-pool': 'warm fork pool',
  'piscina-pool': 'piscina pool',
};

export const DEMO_DISPATCHES = ['in-process', 'fork', 'piscina', 'cluster'] as const;
export const demoSubject = (dispatch: string): string => `demo, \`--dispatch ${dispatch}\``;

/** The measurements, stored in `results.json`. */
export interface Findings {
  /** Of each pool. */
  readonly workers: number;
  readonly clients: { readonly waiting: number; readonly burning: number };
  /** CPU per task, in milliseconds. */
  readonly cpuMs: readonly number[];
  readonly waiting: readonly Measured[];
  readonly burning: readonly Measured[];
}

/** Each of three tasks waits for a timer of 50 ms: the seed's own load. */
export const WAIT = 'waits 50 ms';
/** Each of three tasks asks a carrier over HTTP, which takes 50 ms per call, and normalises the answer. */
export const SEARCH = 'searches';
/** Each of three tasks burns CPU. */
export const burnSetting = (ms: number): string => `${ms} ms of CPU`;
