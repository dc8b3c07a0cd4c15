import type { PoolWorker } from './pool-worker.ts';

/** A place for one worker: keys are bound to places, and a worker's successor takes over its place. */
export interface Slot {
  readonly index: number;
  current: PoolWorker | undefined;
  /** Starts, and takes the place when it is ready. */
  next: PoolWorker | undefined;
  restartTimer: unknown;
}

export function createSlots(count: number): readonly Slot[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    current: undefined,
    next: undefined,
    restartTimer: undefined,
  }));
}

/** Whether a place has a worker, or gets one. */
export function isTaken({ current, next, restartTimer }: Slot): boolean {
  return (current ?? next ?? restartTimer) !== undefined;
}

export function readyCount(slots: readonly Slot[]): number {
  let count = 0;
  for (const { current } of slots) if (current?.state === 'ready') count += 1;
  return count;
}

/** Calls that workers would take at once. */
export function roomOf(slots: readonly Slot[]): number {
  let room = 0;
  for (const { current } of slots) {
    if (current?.hasRoom) room += current.window.size - current.calls.size;
  }
  return room;
}

/** The worker with room that has the least to do. */
export function leastBusy(slots: readonly Slot[]): PoolWorker | undefined {
  let least: PoolWorker | undefined;
  for (const { current } of slots) {
    if (current?.hasRoom && (least === undefined || current.calls.size < least.calls.size)) {
      least = current;
      if (least.calls.size === 0) break;
    }
  }
  return least;
}
