import type { Check, Second } from '@ticketing/fleet-lab';
import type { Measured } from '../src/rounds/measure-rounds.ts';

/** Measurements, stored in `results.json`. */
export interface Findings {
  /** Undefined where there is no nats-server: nothing is measured. */
  readonly fleet?: FleetFindings;
}

export interface FleetFindings {
  readonly network: 'namespaces' | 'loopback';
  readonly delays: string;
  readonly callsPerSecond: number;
  readonly taskMs: number;
  readonly rows: readonly RowFindings[];
  /** Costs: the subject is the way, the setting is the task. */
  readonly cost: readonly Measured[];
  /** Figures of one setting on sockets and simulated. */
  readonly compared: readonly Compared[];
}

/** Row of the failure table. */
export interface RowFindings {
  readonly id: string;
  readonly what: string;
  readonly holds: boolean;
  readonly checks: readonly Check[];
  readonly seconds: readonly Second[];
}

export interface Compared {
  readonly figure: string;
  readonly sockets: number;
  readonly simulated: number;
}

/** Rows whose seconds are kept and drawn. */
export const DRAWN: readonly string[] = ['kill', 'stop', 'link-down', 'drain', 'nats-kill'];

/** Places where a task runs, by the names in the tables. */
export const WAYS = {
  here: 'in this process',
  fork: '2 child processes',
  fleet: '2 hosts over NATS',
} as const;

/** Tasks that are measured, and their number in flight. */
export const COSTS = {
  alone: { name: 'a number, one at a time', inFlight: 1 },
  many: { name: 'a number, 64 in flight', inFlight: 64 },
  records: { name: '10 kB, 64 in flight', inFlight: 64 },
  burn: { name: '5 ms of CPU, 8 in flight', inFlight: 8, ms: 5 },
} as const;
