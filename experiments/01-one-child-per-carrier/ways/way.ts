/** Carriers; the seed had one child per carrier. */
export const CARRIERS = ['renfe', 'ouigo', 'avlo'] as const;
export type CarrierName = (typeof CARRIERS)[number];

export type TaskName = 'search' | 'burn' | 'wait';

/** A task for one carrier. Plain data: it may go to a process. */
export interface Call {
  readonly task: TaskName;
  readonly carrier: CarrierName;
  readonly input: unknown;
}

/** Runs tasks in some place. */
export interface Way {
  run(call: Call): Promise<unknown>;
  close(): Promise<void>;
}

/** The ways that are compared. */
export const WAY_NAMES = [
  'in-process',
  'fork-per-search',
  'child-per-carrier',
  'fork-pool',
  'piscina-pool',
] as const;
export type WayName = (typeof WAY_NAMES)[number];
