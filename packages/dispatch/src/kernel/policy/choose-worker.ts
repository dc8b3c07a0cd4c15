import { type Clock, hashText, heaviest } from '@ticketing/kit';
import type { PoolWorker, Target } from '../state/call.ts';
import type { PoolQueue, Slot } from '../state/pool-state.ts';
import { LEAST_MS } from '../state/worker/pace.ts';

/** Clock that is read only where it matters: that costs as much as a small answer. */
export type Now = Pick<Clock, 'now'>;

type Choices = Pick<PoolQueue, 'slots' | 'mayDiffer' | 'isHopeful' | 'homeOf'>;

/** Returns the worker that takes a call now; undefined if the call has to wait. */
export function workerFor(queue: Choices, target: Target, clock: Now): PoolWorker | undefined {
  const { apartFrom } = target;
  if (apartFrom !== undefined) {
    return bestWorker(queue, clock, ({ workerId }) => workerId !== apartFrom);
  }
  const slot = slotOfTarget(queue, target);
  if (slot === undefined) return bestWorker(queue, clock);
  const current = queue.slots[slot]?.current;
  return current?.hasRoom ? current : undefined;
}

/** Returns the worker with room that is least busy, or is likely to answer first, among the workers that match. */
export function bestWorker(
  { slots, mayDiffer }: Pick<Choices, 'slots' | 'mayDiffer'>,
  clock: Now,
  matches?: (worker: PoolWorker) => boolean,
): PoolWorker | undefined {
  return mayDiffer ? soonest(slots, clock.now(), matches) : leastBusy(slots, matches);
}

/** Returns the slot of a target; undefined for any worker, and while the slot is empty and no worker will come. */
export function slotOfTarget(queue: Choices, { key, slot: wanted }: Target): number | undefined {
  if (key === undefined && wanted === undefined) return undefined;
  const { slots, homeOf } = queue;
  if (key !== undefined && homeOf !== undefined) return homeSlot(slots, key, homeOf);
  const slot = wanted ?? slotOfKey(key ?? '', slots.length);
  // A slot that was removed gets no worker either.
  const getsOne = queue.isHopeful && slot < slots.length;
  return slots[slot]?.current === undefined && !getsOne ? undefined : slot;
}

/** Returns the slot of the worker that owns a key; undefined if no worker that takes calls owns it. */
function homeSlot(
  slots: readonly Slot[],
  key: string,
  homeOf: NonNullable<Choices['homeOf']>,
): number | undefined {
  const ids: number[] = [];
  for (const { current } of slots) if (current?.phase === 'ready') ids.push(current.workerId);
  if (ids.length === 0) return undefined;
  const home = homeOf(key, ids);
  if (home === undefined) return undefined;
  return slots.find(({ current }) => current?.workerId === home)?.index;
}

/** Returns true if calls without a key pass a worker over: it is reserved for its keys, and others are ready. */
export function leavesToOthers({ admission }: PoolWorker, slots: readonly Slot[]): boolean {
  return (
    admission.keysOnly &&
    slots.some(({ current }) => current?.phase === 'ready' && !current.admission.keysOnly)
  );
}

/** Returns how many calls without a key the workers would take at once. */
export function roomOf(slots: readonly Slot[]): number {
  let room = 0;
  for (const { current } of slots) {
    if (current?.hasRoom && !leavesToOthers(current, slots)) room += current.room;
  }
  return room;
}

/** Returns the worker with room for calls without a key and the fewest calls, among the workers that match. */
function leastBusy(
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
 * Returns the worker with room that is likely to answer first. Ranks workers by pace x (calls + mean calls + 1), so slow workers get
 * calls only under heavy load, and one now and then that shows whether they still are slow.
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
    if (current?.phase !== 'ready') continue;
    fastestMs = Math.min(fastestMs, current.load.pace?.ms ?? fastestMs);
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

function paceOf({ load: { pace }, calls }: PoolWorker, now: number, fastestMs: number): number {
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
