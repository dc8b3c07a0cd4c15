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

/** A fault of a schedule. Which process of a part it hits is `pick` of those that live then. */
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
