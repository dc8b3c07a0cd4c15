import type { PoolWorker } from './pool-worker.ts';
import type { ResolvedPoolOptions } from './resolve-pool-options.ts';
import type { Sender } from './sender.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Replaces workers that have served their time, and those that do not answer or say that they are ill. */
export class Upkeep {
  readonly #pool: WorkerPool;
  readonly #sender: Sender;
  readonly #options: ResolvedPoolOptions;
  /** Limits of a worker, some of each taken off at random. */
  readonly #limits = new WeakMap<PoolWorker, { tasks: number; ageMs: number; rssBytes: number }>();
  #timer: unknown;

  constructor(
    parts: { readonly pool: WorkerPool; readonly sender: Sender },
    options: ResolvedPoolOptions,
  ) {
    this.#pool = parts.pool;
    this.#sender = parts.sender;
    this.#options = options;
  }

  start(): void {
    const { clock, healthMs } = this.#options;
    this.#timer = clock.setTimeout(() => {
      this.#look();
      this.start();
    }, healthMs);
    // It must not keep an idle process alive.
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer);
  }

  /** The worker has answered one more task. */
  answered(worker: PoolWorker): void {
    if (worker.done >= this.#limitsOf(worker).tasks) this.recycle(worker);
  }

  /** Has a worker replaced; if its successor does not start, it goes on, and a later look tries again. */
  recycle(worker: PoolWorker): void {
    const slot = this.#pool.slots[worker.slot];
    if (worker.replaced || worker.state !== 'ready' || slot === undefined || this.#pool.isClosed)
      return;
    if (slot.next !== undefined) return;
    worker.replaced = true;
    this.#pool.counts.recycled += 1;
    this.#pool.replace(slot).catch(() => {});
  }

  #look(): void {
    const now = this.#options.clock.now();
    for (const { current: worker, next } of this.#pool.slots) {
      if (worker?.state !== 'ready') continue;
      if (next === undefined) worker.replaced = false;
      const { tasks, ageMs, rssBytes } = this.#limitsOf(worker);
      const { done, bornAt, memoryBytes = 0 } = worker;
      if (done >= tasks || now - bornAt >= ageMs || memoryBytes >= rssBytes) this.recycle(worker);
      if (worker.asked === undefined) {
        worker.asked = 'due';
        worker.post({ kind: 'health' }, now);
        this.#sender.flush(worker);
      } else if (worker.isRunning) {
        worker.asked = 'excused';
      } else if (worker.asked === 'excused') {
        // The task has just ended: the answer has its time from now on.
        worker.asked = 'due';
      } else {
        // If this process was the one that slept, the answer is there and is read before this runs.
        setImmediate(() => this.#suspect(worker));
      }
    }
  }

  #suspect(worker: PoolWorker): void {
    if (worker.asked === undefined || worker.state !== 'ready' || worker.isRunning) return;
    this.#pool.counts.recycled += 1;
    this.#pool.kill(worker);
  }

  #limitsOf(worker: PoolWorker): { tasks: number; ageMs: number; rssBytes: number } {
    let limits = this.#limits.get(worker);
    if (limits === undefined) {
      const { recycle, random } = this.#options;
      const share = 1 - recycle.jitter * random();
      limits = {
        tasks: Math.max(1, recycle.tasks * share),
        ageMs: recycle.ageMs * share,
        rssBytes: recycle.rssBytes * share,
      };
      this.#limits.set(worker, limits);
    }
    return limits;
  }
}
