import type { Measured } from '../src/rounds/measure-rounds.ts';

/** Dispatchers whose workers are processes or threads. */
export const DISPATCHES = ['fork', 'piscina', 'cluster'] as const;
export type WorkerDispatch = (typeof DISPATCHES)[number];
export const OFFLOADS = ['normalise', 'whole'] as const;
export type Offload = (typeof OFFLOADS)[number];

/** The compared subjects, by the names in the tables. */
export const HERE = 'in-process';
export const subjectOf = (dispatch: WorkerDispatch, offload: Offload): string =>
  `${dispatch}, \`${offload}\``;

/** Every way with workers. */
export function othersOf({ dispatches }: Pick<Findings, 'dispatches'>): string[] {
  return dispatches.flatMap((dispatch) => OFFLOADS.map((offload) => subjectOf(dispatch, offload)));
}

/** Megabytes of the answer that the question began with. */
export const LARGE = 2.6;

/** The measurements, stored in `results.json`. */
export interface Findings {
  readonly dispatches: readonly WorkerDispatch[];
  /** Of each dispatcher. */
  readonly workers: number;
  readonly clients: number;
  /** Megabytes of a carrier's answer. */
  readonly sizes: readonly number[];
  /** Milliseconds that a process which does nothing else takes to decode each of them, at best. */
  readonly decodeMs: readonly number[];
  /** By size: clients that ask as soon as they were answered. */
  readonly measured: readonly Measured[];
  /** Searches a second that are asked at 1x: what in-process serves to these clients. */
  readonly once: number;
  /** Multiples of it, asked at a constant rate with {@link LARGE} answers. */
  readonly shares: readonly number[];
  readonly rising: readonly Measured[];
}

export const sizeSetting = (megabytes: number): string => `${megabytes} MB`;
export const shareSetting = (share: number): string => `${share}x`;
