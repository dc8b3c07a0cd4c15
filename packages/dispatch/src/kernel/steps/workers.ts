import type { WorkerEnd, WorkerStart } from '../../contract/transport.ts';
import { circuitOpen, closed, spawnFailed, startedTooLate, workerLost } from '../errors.ts';
import { startFairTimer } from '../limits/fair-timer.ts';
import { recycleLimits } from '../policy/due.ts';
import type { PoolWorker } from '../state/call.ts';
import {
  addSlots,
  countReady,
  isTaken,
  type PoolState,
  type Slot,
  touch,
} from '../state/pool-state.ts';
import { Pace } from '../state/worker/pace.ts';
import { createWindow } from '../state/worker/window.ts';
import { type StartError, Worker } from '../state/worker/worker.ts';
import { loseCalls } from './losses.ts';
import { sendLast } from './send.ts';

/** Starts missing workers: up to `min`, one for each slot that calls wait for, and one more if calls or callers wait for any worker. */
export function startMissing(pool: PoolState): void {
  const { staff, queue } = pool;
  if (pool.phase === 'closed' || staff.circuit.state !== 'closed') return;
  for (const slot of staff.slots) {
    if (isTaken(slot)) continue;
    if (slot.index < staff.min || queue.waiting.has(slot.index)) spawn(pool, slot);
  }
  if (queue.waiting.has(undefined) || pool.capacity.waiters.size > 0) grow(pool);
}

/** Starts one more worker, if a slot is free and none is starting. */
export function grow(pool: PoolState): void {
  const { slots, circuit } = pool.staff;
  if (circuit.state !== 'closed' || pool.phase === 'closed') return;
  if (slots.some(({ next, restartTimer }) => next ?? restartTimer)) return;
  const slot = slots.find(({ current }) => current === undefined);
  if (slot !== undefined) spawn(pool, slot);
}

/** Starts a worker for a slot that has none. */
export function occupy(pool: PoolState, index: number): void {
  const slot = pool.staff.slots[index];
  if (slot === undefined || pool.phase === 'closed') return;
  if (pool.staff.circuit.state === 'closed' && !isTaken(slot)) spawn(pool, slot);
}

/** Starts a worker that takes a slot over. Rejects with the error of its start; then the old one stays. */
export function replace(pool: PoolState, slot: Slot): Promise<void> {
  const { clock, name } = pool.options;
  const { next } = slot;
  if (pool.phase === 'closed') return Promise.reject(closed(name));
  clock.clearTimeout(slot.restartTimer);
  slot.restartTimer = undefined;
  slot.next = undefined;
  if (next !== undefined) {
    next.health.setReplaced(true);
    kill(next);
    next.starting.onStart?.(closed(name));
  }
  return new Promise((resolve, reject) => {
    spawn(pool, slot, (error) => (error === undefined ? resolve() : reject(error)));
  });
}

/** Replaces a worker; if its successor fails to start, it goes on, and a later check tries again. */
export function recycle(pool: PoolState, worker: PoolWorker): void {
  const { staff } = pool;
  const slot = staff.slots[worker.slot];
  if (worker.health.isReplaced || worker.phase !== 'ready' || pool.phase === 'closed') return;
  if (slot === undefined || slot.next !== undefined) return;
  worker.health.setReplaced(true);
  staff.counts.recycled += 1;
  replace(pool, slot).catch(() => {});
}

/** Takes a worker in that has started: it gets calls, and the one before it in its slot no more. */
export function admitWorker(pool: PoolState, worker: PoolWorker): void {
  const { staff, changes, hold, options } = pool;
  const slot = staff.slots[worker.slot];
  if (worker.phase !== 'starting' || slot?.next !== worker) return;
  options.clock.clearTimeout(worker.timer);
  worker.phase = 'ready';
  if (staff.started === 'never') staff.started = 'some';
  staff.failedStarts = 0;
  const old = slot.current;
  slot.next = undefined;
  slot.current = worker;
  if (old !== undefined) retire(pool, old);
  worker.starting.onStart?.(undefined);
  if (staff.circuit.state === 'half-open') proved(pool);
  if (!hold.isHeld) worker.handle?.hold(false);
  changes.hasStaffChanged = true;
  changes.mayStart = true;
  touch(pool, worker);
  changes.news.push({ kind: 'ready', worker });
  resolveIfReady(pool);
}

/** Has a worker finish its calls and stop: it has a successor, or is no longer needed. */
export function retire(pool: PoolState, worker: PoolWorker): void {
  if (worker.phase !== 'ready') return;
  worker.phase = 'retiring';
  pool.changes.hasStaffChanged = true;
  touch(pool, worker);
}

/** Stops a worker without calls, and kills it if it does not stop in time. */
export function stop(pool: PoolState, worker: PoolWorker, graceMs: number): void {
  const { clock } = pool.options;
  worker.phase = 'stopping';
  worker.outbox.post({ kind: 'stop' }, clock.now());
  sendLast(worker);
  startFairTimer({
    clock,
    ms: graceMs,
    set: (timer) => {
      worker.timer = timer;
    },
    passed: () => pool.emit({ kind: 'stop-late', worker }),
  });
}

/** Ends a worker now; its exit follows. */
export function kill(worker: PoolWorker): void {
  if (worker.phase === 'killed' || worker.phase === 'gone') return;
  worker.phase = 'killed';
  worker.handle?.kill();
}

/** Ends a worker that cannot start. The first error explains it. */
export function failStart(worker: PoolWorker, error: StartError): void {
  worker.starting.error ??= error;
  kill(worker);
}

/** Notes why a worker could not start, as it reports: that explains more than that it was late. */
export function noteStartError(worker: PoolWorker, error: StartError): void {
  worker.starting.error = error;
}

/** Notes that a worker can run tasks. @returns false if it has reported that before, or has not just started */
export function noteReported({ phase, starting }: PoolWorker): boolean {
  if (phase !== 'starting' || starting.hasReported) return false;
  starting.hasReported = true;
  return true;
}

/** Ends a worker that did not start in time, unless it may be at a breakpoint. */
export function startedLate(pool: PoolState, worker: PoolWorker): void {
  const { options, transport, staff } = pool;
  if (worker.isInspected) {
    watchStart(pool, worker);
    return;
  }
  failStart(worker, {
    error: startedTooLate(options.name, options.startTimeoutMs, transport.words?.hint),
    // Others would be waited for as long, in silence, and for the same reason.
    final: transport.capabilities.hardKill && staff.started === 'never',
  });
}

/** The pool works: a worker has answered its first call, or reported that it has worked. */
export function proved({ staff, changes }: PoolState): void {
  if (staff.circuit.state !== 'closed') changes.mayStart = true;
  staff.circuit.succeeded();
}

/** A worker has ended. */
export function exited(pool: PoolState, worker: PoolWorker, end: WorkerEnd): void {
  const { staff, changes, options } = pool;
  const before = worker.phase;
  if (before === 'gone') return;
  worker.phase = 'gone';
  staff.live.delete(worker);
  options.clock.clearTimeout(worker.timer);
  // None, or the slot of another worker, if that of this one was removed.
  const slot = staff.slots[worker.slot];
  const wasCurrent = slot?.current === worker;
  const wasNext = slot?.next === worker;
  if (wasCurrent) slot.current = undefined;
  if (wasNext) slot.next = undefined;
  loseCalls(pool, worker, end);
  changes.hasStaffChanged = true;
  changes.hasReturned = true;
  changes.hasRoom = true;
  worker.onGone?.();
  changes.news.push({ kind: 'exit', worker, end });
  if (pool.phase === 'closed') {
    if (staff.live.size === 0) staff.onEmpty?.();
    return;
  }
  if (before === 'ready' || before === 'retiring') staff.counts.lost += 1;
  changes.mayStart = true;
  if (wasNext) startFailed(pool, slot, worker, end);
  else if (
    wasCurrent &&
    slot.next === undefined &&
    before === 'ready' &&
    !worker.reports.hasProved
  ) {
    const words = pool.transport.words?.proof;
    slotFailed(
      pool,
      slot,
      workerLost(options.name, { pid: worker.handle?.pid, end, before: words }),
      false,
    );
  }
  changes.hasLostHope = true;
}

/** Tries a slot again whose worker failed to start a while ago. */
export function restart({ changes }: PoolState, slot: Slot): void {
  slot.restartTimer = undefined;
  changes.mayStart = true;
}

/** Starts one worker while the circuit is open: it decides whether others follow. */
export function probe(pool: PoolState): void {
  const { slots, circuit } = pool.staff;
  if (pool.phase === 'closed' || circuit.state !== 'open') return;
  circuit.probing();
  const slot = slots.find(({ current, next }) => (current ?? next) === undefined);
  if (slot === undefined) proved(pool);
  else spawn(pool, slot);
}

/** Resolves when `min` workers take calls. */
export function whenReady({ staff, options, phase }: PoolState): Promise<void> {
  const { name } = options;
  if (phase === 'closed') return Promise.reject(closed(name));
  if (countReady(staff.slots) >= staff.min) return Promise.resolve();
  const { circuit } = staff;
  if (circuit.state === 'open') return Promise.reject(circuitOpen(name, circuit.lastError));
  return new Promise((resolve, reject) => staff.readyWaiters.push({ resolve, reject }));
}

/** Gives a pool `count` slots, each with a worker. @returns the workers that leave */
export function resize(pool: PoolState, count: number): PoolWorker[] {
  const { staff, changes } = pool;
  staff.min = count;
  const removed = staff.slots.splice(count);
  addSlots(staff.slots, count);
  const leaving = removed.flatMap((slot) => vacate(pool, slot));
  changes.mayStart = true;
  resolveIfReady(pool);
  return leaving;
}

/** Uses another module for later workers. */
export function useModule({ staff }: PoolState, module: URL | undefined): void {
  staff.module = module;
}

/** Notes the tasks of a worker that has just started. */
export function knowTasks({ staff }: PoolState, tasks: ReadonlySet<string>): void {
  staff.tasks = tasks;
}

/** Resolves when every worker is gone and the transport is closed. Workers are killed after `graceMs`, whatever they had before. */
export async function closeWorkers(pool: PoolState, graceMs: number): Promise<void> {
  const { staff, options, transport } = pool;
  const { clock, name } = options;
  clock.clearTimeout(staff.probeTimer);
  for (const slot of staff.slots) clock.clearTimeout(slot.restartTimer);
  for (const { reject } of staff.readyWaiters.splice(0)) reject(closed(name));
  for (const worker of [...staff.live]) {
    if (worker.phase === 'starting') kill(worker);
    else if (worker.phase === 'ready' || worker.phase === 'retiring') stop(pool, worker, graceMs);
    worker.starting.onStart?.(closed(name));
  }
  if (staff.live.size > 0) {
    const killAll = (): void => {
      for (const worker of [...staff.live]) kill(worker);
    };
    // Also workers that were stopping already, with a grace of their own.
    const end = clock.setTimeout(killAll, graceMs);
    await new Promise<void>((resolve) => {
      staff.onEmpty = resolve;
    });
    clock.clearTimeout(end);
  }
  await transport.close();
}

/** Stops the workers of a slot that was removed. @returns those workers */
function vacate(pool: PoolState, slot: Slot): PoolWorker[] {
  const { current, next, restartTimer } = slot;
  const { circuit } = pool.staff;
  pool.options.clock.clearTimeout(restartTimer);
  if (next !== undefined) {
    kill(next);
    // It is not needed: its start is over without an error.
    next.starting.onStart?.(undefined);
    if (circuit.state === 'half-open') slotFailed(pool, slot, circuit.lastError, true);
  }
  if (current !== undefined) retire(pool, current);
  pool.queue.waiting.release(slot.index);
  pool.changes.hasReturned = true;
  pool.changes.hasStaffChanged = true;
  pool.changes.hasRoom = true;
  return [current, next].filter((worker) => worker !== undefined);
}

function spawn(pool: PoolState, slot: Slot, onStart?: (error: unknown) => void): void {
  const { staff, transport, options } = pool;
  staff.lastId += 1;
  const worker: PoolWorker = new Worker({
    workerId: staff.lastId,
    slot: slot.index,
    window: createWindow(options.window, {
      ...transport.autoWindow,
      isSole: () => staff.slots.length === 1,
    }),
    pace: transport.mayDifferInSpeed ? new Pace() : undefined,
    bornAt: options.clock.now(),
    limits: recycleLimits(options),
    onStart,
  });
  slot.next = worker;
  staff.live.add(worker);
  staff.counts.spawned += 1;
  watchStart(pool, worker);
  try {
    worker.handle = transport.spawn(startOf(pool, worker), {
      frames: (frames) => pool.emit({ kind: 'frames', worker, frames }),
      exit: (end) => pool.emit({ kind: 'exit', worker, end }),
    });
  } catch (error) {
    worker.starting.error = spawnFailed(options.name, slot.index, error);
    const end: WorkerEnd = { exitCode: undefined, signal: undefined, stderrTail: '' };
    pool.emit({ kind: 'exit', worker, end });
  }
}

/** Returns what a transport gets of a new worker. @throws what the function `workerData` throws */
function startOf({ staff, options }: PoolState, { workerId, slot }: PoolWorker): WorkerStart {
  const { workerData } = options;
  const data: unknown = typeof workerData === 'function' ? workerData(slot) : workerData;
  return { workerId, slot, module: staff.module, workerData: data };
}

function watchStart(pool: PoolState, worker: PoolWorker): void {
  const { clock, startTimeoutMs } = pool.options;
  startFairTimer({
    clock,
    ms: startTimeoutMs,
    set: (timer) => {
      worker.timer = timer;
    },
    passed: () => pool.emit({ kind: 'start-late', worker }),
  });
}

/** A worker ended before it took calls. */
function startFailed(pool: PoolState, slot: Slot, worker: PoolWorker, end: WorkerEnd): void {
  const { staff, options, transport } = pool;
  const failure = worker.starting.error ?? {
    error: workerLost(options.name, {
      pid: worker.handle?.pid,
      end,
      before: transport.words?.started,
    }),
    final: false,
  };
  worker.starting.onStart?.(failure.error);
  // Someone has ended it before its program could ask for a successor: the program is not to blame.
  const wasEnded = worker.starting.error === undefined && end.signal === 'SIGTERM';
  if (wasEnded && staff.circuit.state === 'closed') {
    if (slot.current === undefined) restartLater(pool, slot, options.restart.backoffMs[0]);
    return;
  }
  // Starts in a row count, however slow: one that hangs for half a minute would never fail often enough within the period.
  staff.failedStarts += 1;
  const isFinal = failure.final || staff.failedStarts > options.restart.maxFailures;
  // A failed replacement does no harm while the old one works.
  if (slot.current === undefined) slotFailed(pool, slot, failure.error, isFinal);
}

/** The worker of a slot failed to start, or ended before it had answered a call. */
function slotFailed(pool: PoolState, slot: Slot, error: unknown, isFinal: boolean): void {
  const { staff, options, changes } = pool;
  const { clock, name } = options;
  const wasOpen = staff.circuit.state === 'open';
  const decision = staff.circuit.failed(clock.now(), error, isFinal);
  if (decision.kind === 'retry') {
    restartLater(pool, slot, decision.afterMs);
    return;
  }
  for (const each of staff.slots) {
    clock.clearTimeout(each.restartTimer);
    each.restartTimer = undefined;
  }
  clock.clearTimeout(staff.probeTimer);
  staff.probeTimer = clock.setTimeout(() => pool.emit({ kind: 'probe' }), decision.probeAfterMs);
  // Nothing waits for a probe: its timer must not keep the process alive.
  (staff.probeTimer as { unref?: () => void } | undefined)?.unref?.();
  if (wasOpen) return;
  changes.news.push({ kind: 'circuit-open', error });
  for (const { reject } of staff.readyWaiters.splice(0)) reject(circuitOpen(name, error));
}

function restartLater(pool: PoolState, slot: Slot, afterMs: number): void {
  slot.restartTimer = pool.options.clock.setTimeout(
    () => pool.emit({ kind: 'restart', slot }),
    afterMs,
  );
}

/** Resolves `whenReady()` if `min` workers take calls. */
function resolveIfReady({ staff }: PoolState): void {
  if (countReady(staff.slots) < staff.min) return;
  staff.started = 'all';
  for (const { resolve } of staff.readyWaiters.splice(0)) resolve();
}
