import type { PoolWorker } from './pool-worker.ts';

/** A place for one worker: keys are bound to places, and a worker's successor takes over its place. */
export interface Slot {
  readonly index: number;
  current: PoolWorker | undefined;
  /** Starts, and takes the place when it is ready. */
  next: PoolWorker | undefined;
  restartTimer: unknown;
}

/** Adds empty places until there are `count`. */
export function addSlots(slots: Slot[], count: number): void {
  for (let index = slots.length; index < count; index++) {
    slots.push({ index, current: undefined, next: undefined, restartTimer: undefined });
  }
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

/** The worker with room that has the least to do, of those that are meant. */
export function leastBusy(
  slots: readonly Slot[],
  isMeant: (worker: PoolWorker) => boolean = () => true,
): PoolWorker | undefined {
  let least: PoolWorker | undefined;
  for (const { current } of slots) {
    if (!current?.hasRoom || (least && current.calls.size >= least.calls.size)) continue;
    if (!isMeant(current)) continue;
    least = current;
    if (least.calls.size === 0) break;
  }
  return least;
}
