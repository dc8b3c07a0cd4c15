import { hashText, heaviest } from '@ticketing/kit';
import type { WorkerStart } from '../../contract/transport.ts';
import { LEAST_MS } from './pace.ts';
import type { PoolWorker } from './pool-worker.ts';

/** A numbered position for a worker and its successors. Keys map to slots. */
export interface Slot {
  readonly index: number;
  current: PoolWorker | undefined;
  /** A starting worker; becomes `current` when it is ready. */
  next: PoolWorker | undefined;
  restartTimer: unknown;
}

/** Adds empty slots until there are `count`. */
export function addSlots(slots: Slot[], count: number): void {
  for (let index = slots.length; index < count; index++) {
    slots.push({ index, current: undefined, next: undefined, restartTimer: undefined });
  }
}

/** Returns what a transport gets of a new worker. @throws what the function `workerData` throws */
export function startOf(
  { workerId, slot }: PoolWorker,
  module: URL | undefined,
  { workerData }: { readonly workerData?: unknown },
): WorkerStart {
  const data: unknown = typeof workerData === 'function' ? workerData(slot) : workerData;
  return { workerId, slot, module, workerData: data };
}

/** Whether a slot has a worker, or gets one. */
export function isTaken({ current, next, restartTimer }: Slot): boolean {
  return (current ?? next ?? restartTimer) !== undefined;
}

/** Whether calls without a key pass this worker over: it is there for its keys, and others are ready. */
export function leavesToOthers({ keysOnly }: PoolWorker, slots: readonly Slot[]): boolean {
  return keysOnly && slots.some(({ current }) => current?.state === 'ready' && !current.keysOnly);
}

/** Returns how many calls without a key the workers would take at once. */
export function roomOf(slots: readonly Slot[]): number {
  let room = 0;
  for (const { current } of slots) {
    if (current?.hasRoom && !leavesToOthers(current, slots))
      room += current.windowSize - current.calls.size + current.stalled;
  }
  return room;
}

/** Returns the worker with room for calls without a key and the fewest calls, of those that match. */
export function leastBusy(
  slots: readonly Slot[],
  matches: (worker: PoolWorker) => boolean = () => true,
): PoolWorker | undefined {
  let least: PoolWorker | undefined;
  for (const { current } of slots) {
    if (!current?.hasRoom || (least && current.calls.size >= least.calls.size)) continue;
    if (leavesToOthers(current, slots) || !matches(current)) continue;
    least = current;
    if (least.calls.size === 0) break;
  }
  return least;
}

/**
 * Returns the worker with room that is likely to answer first. What it takes for a run counts more the more calls it has, beside
 * what workers have on average: many at a time may be what all of them are good for, so a slow one gets calls only when the
 * others are far busier than usual, or full, and one now and then that shows whether it still is.
 */
export function soonest(
  slots: readonly Slot[],
  now: number,
  matches: (worker: PoolWorker) => boolean = () => true,
): PoolWorker | undefined {
  let fastestMs = Number.POSITIVE_INFINITY;
  let ready = 0;
  let calls = 0;
  for (const { current } of slots) {
    if (current?.state !== 'ready') continue;
    fastestMs = Math.min(fastestMs, current.pace?.ms ?? fastestMs);
    ready += 1;
    calls += current.calls.size;
  }
  if (fastestMs === Number.POSITIVE_INFINITY) fastestMs = LEAST_MS;
  const usual = Math.max(1, calls / ready);
  let first: PoolWorker | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { current } of slots) {
    if (!current?.hasRoom || leavesToOthers(current, slots) || !matches(current)) continue;
    const cost = (usual + current.calls.size + 1) * paceOf(current, now, fastestMs);
    // Averages of equal workers differ a little: within a quarter the one with fewer calls goes first.
    const isNear = first !== undefined && cost < least * 1.25 && cost > least * 0.8;
    if (isNear ? current.calls.size >= (first?.calls.size ?? 0) : cost >= least) continue;
    first = current;
    least = cost;
  }
  return first;
}

function paceOf({ pace, calls }: PoolWorker, now: number, fastestMs: number): number {
  if (pace === undefined) return fastestMs;
  if (calls.size === 0) return pace.at(now, fastestMs);
  const { oldest } = calls;
  return pace.at(now, fastestMs, calls.size, oldest?.sentAt);
}

/**
 * Returns the slot of a key, 0 to `slots - 1`: the same in every process and version. With one more slot, about 1 in
 * `slots + 1` keys move to the new slot, and no others. Takes one step per slot.
 */
export function slotOfKey(key: string, slots: number): number {
  return Math.max(0, heaviest(slots, hashText(key), hashOfSlot));
}

function hashOfSlot(slot: number): number {
  return slot + 1;
}
