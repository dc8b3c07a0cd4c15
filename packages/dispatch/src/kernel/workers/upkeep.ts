import { MAX_TIMER_MS } from '@ticketing/kit';
import { nextImmediate } from '../../soon.ts';
import { isLate } from '../fair-timer.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from './pool-worker.ts';
import type { Sender } from './sender.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Checks within `idleTimeoutMs`, after which an idle worker ends. */
const IDLE_CHECKS = 4;

/** Health checks in a row that find a worker too busy before it is replaced: a burst of calls is no reason. */
const BUSY_CHECKS = 3;

type Limits = Record<'tasks' | 'ageMs' | 'rssBytes' | 'heapBytes', number>;

/** Replaces workers that reach a recycle limit, ask for it or fail their health check; ends idle ones above `min`. */
export class Upkeep {
  readonly #pool: WorkerPool;
  readonly #sender: Sender;
  readonly #options: ResolvedPoolOptions;
  /** Recycle limits of a worker, each reduced at random. */
  readonly #limits = new WeakMap<PoolWorker, Limits>();
  #timer: unknown;
  #idleTimer: unknown;

  constructor(pool: WorkerPool, sender: Sender, options: ResolvedPoolOptions) {
    this.#pool = pool;
    this.#sender = sender;
    this.#options = options;
  }

  start(): void {
    const { idleTimeoutMs } = this.#options;
    this.#checkLater();
    if (idleTimeoutMs < Number.POSITIVE_INFINITY) this.#checkIdleLater();
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#options.clock.clearTimeout(this.#idleTimer);
  }

  /** The worker has answered one more call. */
  answered(worker: PoolWorker): void {
    if (worker.done >= this.#limitsOf(worker).tasks) this.recycle(worker);
  }

  /** Replaces a worker; if its successor fails to start, it goes on, and a later check tries again. */
  recycle(worker: PoolWorker): void {
    const slot = this.#pool.slots[worker.slot];
    if (worker.replaced || worker.state !== 'ready' || this.#pool.isClosed) return;
    if (slot === undefined || slot.next !== undefined) return;
    worker.replaced = true;
    this.#pool.counts.recycled += 1;
    this.#pool.replace(slot).catch(() => {});
  }

  /** Has a worker show that it lives. */
  ask(worker: PoolWorker): void {
    if (worker.state !== 'ready' && worker.state !== 'retiring') return;
    worker.post({ kind: 'health' }, this.#options.clock.now());
    this.#sender.flush(worker);
  }

  #checkLater(): void {
    const { clock, healthMs } = this.#options;
    const dueAt = clock.now() + healthMs;
    this.#timer = this.#later(healthMs, () => {
      this.#check(isLate(clock, dueAt, healthMs));
      this.#checkLater();
    });
  }

  #checkIdleLater(): void {
    const ms = Math.min(this.#options.idleTimeoutMs / IDLE_CHECKS, MAX_TIMER_MS);
    this.#idleTimer = this.#later(ms, () => {
      this.#checkIdle();
      this.#checkIdleLater();
    });
  }

  /** Starts a timer that does not keep an idle process alive. */
  #later(ms: number, callback: () => void): unknown {
    const timer = this.#options.clock.setTimeout(callback, ms);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    return timer;
  }

  /** Workers of the first slots stay: calls go to them first. */
  #checkIdle(): void {
    for (const { index, current: worker, next } of this.#pool.slots) {
      if (worker?.state !== 'ready' || index < this.#pool.min) continue;
      const { given, idle, calls } = worker;
      const isIdle = calls.size === 0 && given === idle.given;
      worker.idle = { given, checks: isIdle ? idle.checks + 1 : 0 };
      if (worker.idle.checks < IDLE_CHECKS || next !== undefined || !this.#pool.canShrink) continue;
      this.#pool.shrink(worker);
    }
  }

  /** `late`: this process was paused, and so may have been the workers: their answers are due at the next check. */
  #check(late: boolean): void {
    const now = this.#options.clock.now();
    for (const { current: worker, next } of this.#pool.slots) {
      if (worker?.state !== 'ready') continue;
      if (next === undefined) worker.replaced = false;
      if (this.#isDue(worker, now) || worker.asksRecycle) this.recycle(worker);
      if (worker.isInspected) {
        worker.asked = undefined;
        continue;
      }
      if (worker.handle?.inspect?.() && worker.asked !== undefined) {
        worker.post({ kind: 'health' }, now);
        this.#sender.flush(worker);
      }
      if (worker.asked === undefined) {
        worker.asked = 'due';
        this.ask(worker);
      } else if (mayBeSilent(worker)) {
        worker.asked = 'excused';
      } else if (worker.asked === 'excused' || late) {
        // The task has just ended, or this process was late: the answer has its time from now on.
        worker.asked = 'due';
      } else {
        // If this process was the one that slept, the answer is there and is read before this runs.
        nextImmediate(() => this.#killIfSilent(worker));
      }
    }
  }

  #isDue(worker: PoolWorker, now: number): boolean {
    const { tasks, ageMs, rssBytes, heapBytes } = this.#limitsOf(worker);
    const isTooBusy = this.#isTooBusy(worker);
    if (worker.done >= tasks || now - worker.bornAt >= ageMs) return true;
    if ((worker.memoryBytes ?? 0) >= rssBytes || (worker.heapBytes ?? 0) >= heapBytes) return true;
    // What makes one busy may do so to all, and a start takes time from the others.
    return isTooBusy && this.#pool.slots.every(({ next }) => next === undefined);
  }

  /** Whether its event loop was busy between each of the latest checks; one that has sent no load since is left as it was. */
  #isTooBusy({ busy }: PoolWorker): boolean {
    const { activeMs, elapsedMs } = busy;
    if (elapsedMs > 0) {
      const isBusy = activeMs / elapsedMs > this.#options.recycle.utilisation;
      busy.checks = isBusy ? busy.checks + 1 : 0;
      busy.activeMs = 0;
      busy.elapsedMs = 0;
    }
    return busy.checks >= BUSY_CHECKS;
  }

  #killIfSilent(worker: PoolWorker): void {
    if (worker.asked === undefined || worker.state !== 'ready' || mayBeSilent(worker)) return;
    this.#pool.counts.recycled += 1;
    this.#pool.kill(worker);
  }

  #limitsOf(worker: PoolWorker): Limits {
    let limits = this.#limits.get(worker);
    if (limits === undefined) {
      const { recycle, random } = this.#options;
      const share = 1 - recycle.jitter * random();
      limits = {
        tasks: Math.max(1, recycle.tasks * share),
        ageMs: recycle.ageMs * share,
        rssBytes: recycle.rssBytes * share,
        heapBytes: recycle.heapBytes * share,
      };
      this.#limits.set(worker, limits);
    }
    return limits;
  }
}

/** A task may keep a worker from answering, unless its time was over and the worker has not been heard since. */
function mayBeSilent({ isRunning, isOverdue }: PoolWorker): boolean {
  return isRunning && !isOverdue;
}
