import type { Fault, FaultKind } from './plan.ts';
import type { Random } from './random.ts';

const searchOnly: readonly FaultKind[] = ['truncated', 'malformed-price', 'throttled'];

/** A fault plan, and the call that it may strike. */
export interface FaultDraw {
  readonly fault: Fault | null;
  /** Whether the call is the one that answers the search. */
  readonly search: boolean;
  readonly random: Random;
}

/** Draws whether a call fails, and how; calls that the fault cannot strike draw nothing. */
export function drawFault({ fault, search, random }: FaultDraw): Fault | null {
  if (!fault || (!search && searchOnly.includes(fault.kind))) return null;
  return random.next() < fault.share ? fault : null;
}
