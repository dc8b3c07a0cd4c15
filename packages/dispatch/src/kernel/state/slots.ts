import type { PoolWorker } from './call.ts';

/** Numbered position for a worker and its successors. Keys map to slots. */
export interface Slot {
  readonly index: number;
  current: PoolWorker | undefined;
  /** Starting worker; becomes `current` when it is ready. */
  next: PoolWorker | undefined;
  restartTimer: unknown;
}

/** Adds empty slots until there are `count`. */
export function addSlots(slots: Slot[], count: number): void {
  for (let index = slots.length; index < count; index++) {
    slots.push({ index, current: undefined, next: undefined, restartTimer: undefined });
  }
}

/** Whether a slot has a worker, or gets one. */
export function isTaken({ current, next, restartTimer }: Slot): boolean {
  return (current ?? next ?? restartTimer) !== undefined;
}

/** Returns how many slots have a worker that takes calls. */
export function countReady(slots: readonly Slot[]): number {
  let count = 0;
  for (const { current } of slots) if (current?.phase === 'ready') count += 1;
  return count;
}
