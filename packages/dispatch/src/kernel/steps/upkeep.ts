import { MAX_TIMER_MS } from '@ticketing/kit';
import { nextImmediate } from '../../soon.ts';
import { isLate } from '../limits/fair-timer.ts';
import { BUSY_CHECKS, healthStep, isDue, mayBeSilent } from '../policy/due.ts';
import type { PoolWorker } from '../state/call.ts';
import { countReady, type PoolState } from '../state/pool-state.ts';
import { ask } from './send.ts';
import { kill, recycle, retire } from './workers.ts';

/** Checks within `idleTimeoutMs`, after which an idle worker ends. */
const IDLE_CHECKS = 4;

/** Starts the checks of health and of idle workers. */
export function startChecks(pool: PoolState): void {
  checkHealthLater(pool);
  if (pool.options.idleTimeoutMs < Number.POSITIVE_INFINITY) checkIdleLater(pool);
}

export function stopChecks({ checks, options }: PoolState): void {
  options.clock.clearTimeout(checks.health);
  options.clock.clearTimeout(checks.idle);
}

/**
 * Replaces workers that have reached a limit or asked for it, and asks each for a sign of life.
 *
 * @param isLate - whether this process was paused, and so may have been the workers
 */
export function checkHealth(pool: PoolState, isLate: boolean): void {
  const now = pool.options.clock.now();
  for (const { current: worker, next } of pool.staff.slots) {
    if (worker?.phase !== 'ready') continue;
    const { health, handle } = worker;
    if (next === undefined) health.setReplaced(false);
    const isTooBusy = worker.load.checkBusy(pool.options.recycle.utilisation) >= BUSY_CHECKS;
    if (isDue(worker, now) || health.asksRecycle || (isTooBusy && mayReplaceBusy(pool))) {
      recycle(pool, worker);
    }
    if (worker.isInspected) {
      health.setAsked(undefined);
      continue;
    }
    if (handle?.inspect?.() && health.asked !== undefined) ask(pool, worker);
    const step = healthStep(worker, isLate);
    if (step.kind === 'wait') health.setAsked(step.asked);
    else if (step.kind === 'ask') {
      health.setAsked('due');
      ask(pool, worker);
    } else {
      // If this process was the one that slept, the answer is there and is read before this runs.
      nextImmediate(() => pool.emit({ kind: 'silent', worker }));
    }
  }
  checkHealthLater(pool);
}

/** Ends workers above `min` that have been idle for `idleTimeoutMs`. Workers of the first slots stay: calls go to them first. */
export function checkIdle(pool: PoolState): void {
  const { slots, min, counts, circuit } = pool.staff;
  for (const { index, current: worker, next } of slots) {
    if (worker?.phase !== 'ready' || index < min) continue;
    const { health, admission, calls } = worker;
    if (health.checkIdle(calls.size === 0, admission.given) < IDLE_CHECKS) continue;
    if (next !== undefined || circuit.state !== 'closed' || countReady(slots) <= min) continue;
    counts.idled += 1;
    retire(pool, worker);
  }
  checkIdleLater(pool);
}

/** Ends a worker that has not answered its health check. */
export function killIfSilent(pool: PoolState, worker: PoolWorker): void {
  if (worker.health.asked === undefined || worker.phase !== 'ready' || mayBeSilent(worker)) return;
  pool.staff.counts.recycled += 1;
  kill(worker);
}

/** Returns true if a busy worker may be replaced now. The cause may affect every worker, and a start takes time from the others. */
function mayReplaceBusy({ staff }: PoolState): boolean {
  return staff.slots.every(({ next }) => next === undefined);
}

function checkHealthLater(pool: PoolState): void {
  const { clock, healthMs } = pool.options;
  const dueAt = clock.now() + healthMs;
  pool.checks.health = later(pool, healthMs, () =>
    pool.emit({ kind: 'health', isLate: isLate(clock, dueAt, healthMs) }),
  );
}

function checkIdleLater(pool: PoolState): void {
  const ms = Math.min(pool.options.idleTimeoutMs / IDLE_CHECKS, MAX_TIMER_MS);
  pool.checks.idle = later(pool, ms, () => pool.emit({ kind: 'idle' }));
}

/** Starts a timer that does not keep an idle process alive. */
function later({ options }: PoolState, ms: number, callback: () => void): unknown {
  const timer = options.clock.setTimeout(callback, ms);
  (timer as { unref?: () => void } | undefined)?.unref?.();
  return timer;
}
