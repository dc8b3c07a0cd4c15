import type { PlanPatch } from '@ticketing/carrier-sim';
import type { Part } from '../setups.ts';
import type { CarrierFault } from './carrier-faults.ts';

/** Kinds of faults, as the table of results names them. */
export const FAULT_NAMES = [
  'SIGKILL',
  'SIGSTOP',
  'SIGTERM',
  'SIGHUP',
  'carrier fault',
  'carrier slow',
  'carrier full',
  'Redis flushed',
  'cores burnt',
  'descriptors short',
  '/dev/shm full',
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

/** Fault of a schedule. `pick` decides which of the living processes of a part it hits. */
export interface PlannedFault {
  readonly fault: number;
  /** Milliseconds since the faults begin. */
  readonly atMs: number;
  /** 0: it has no end of its own. */
  readonly durationMs: number;
  readonly name: FaultName;
  readonly part?: Part;
  /** 0 ≤ `pick` < 1. */
  readonly pick: number;
  readonly carrier?: CarrierFault['carrier'];
  readonly plan?: PlanPatch;
  readonly alters?: boolean;
}
