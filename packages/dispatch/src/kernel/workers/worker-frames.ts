import type { FromWorker } from '../../contract/transport.ts';
import type { Call, LateBy, PoolWorker } from '../calls/call.ts';
import type { CallTimers } from '../calls/call-timers.ts';
import type { Feeder } from '../calls/feeder.ts';
import type { Ending, KernelCounts } from '../kernel-counts.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { Upkeep } from './upkeep.ts';
import type { WorkerPool } from './worker-pool.ts';

/** What a frame can do to its call. */
interface Callbacks {
  /** The worker has nothing more to do with it. */
  free(worker: PoolWorker, call: Call): void;
  /** Its caller is answered. */
  settle(call: Call, ending: Ending, value: unknown): void;
  /** Its time passed before it was started. */
  late(call: Call, limit: LateBy): void;
  /** Its caller is answered, and the worker is to stop it. */
  giveUp(call: Call, error: unknown, ending: Ending): void;
}

interface Parts {
  readonly pool: WorkerPool;
  readonly upkeep: Upkeep;
  readonly feeder: Feeder;
  readonly timers: CallTimers;
  readonly counts: KernelCounts;
}

interface Answer {
  readonly ending: Ending;
  readonly value: unknown;
  readonly runMs: number;
}

/** Applies frames from workers. Ignores frames of settled calls. */
export class WorkerFrames {
  /** The tasks of the worker that started last. */
  tasks: ReadonlySet<string> | undefined;
  readonly #parts: Parts;
  readonly #options: ResolvedPoolOptions;
  readonly #callbacks: Callbacks;

  constructor(parts: Parts, options: ResolvedPoolOptions, callbacks: Callbacks) {
    this.#parts = parts;
    this.#options = options;
    this.#callbacks = callbacks;
  }

  read(worker: PoolWorker, frame: FromWorker): void {
    switch (frame.kind) {
      case 'done': {
        const { value, runMs } = frame;
        this.#answered(worker, frame.seq, { ending: 'completed', value, runMs });
        break;
      }
      case 'failed': {
        const { error, runMs } = frame;
        this.#answered(worker, frame.seq, { ending: 'failed', value: error, runMs });
        break;
      }
      case 'dropped':
        this.#dropped(worker, worker.calls.get(frame.seq));
        break;
      case 'started':
        this.#started(worker.calls.get(frame.seq));
        break;
      case 'progress':
        this.#progress(worker.calls.get(frame.seq), frame.data);
        break;
      case 'load':
        this.#loaded(worker, frame);
        break;
      case 'report':
        worker.report = frame.data;
        if (frame.worked) this.#proved(worker);
        break;
      case 'recycle':
        worker.asksRecycle = true;
        this.#parts.upkeep.recycle(worker);
        break;
      case 'ready':
        this.tasks = new Set(frame.tasks);
        this.#parts.pool.ready(worker);
        break;
      case 'start-failed':
        worker.startError ??= { error: frame.error, final: frame.final };
        break;
      case 'healthy':
        worker.asked = undefined;
        if ('error' in frame) this.#parts.upkeep.recycle(worker);
        break;
    }
  }

  #answered(worker: PoolWorker, seq: number, { ending, value, runMs }: Answer): void {
    const call = worker.calls.get(seq);
    if (call === undefined) return;
    const { upkeep, counts } = this.#parts;
    this.#callbacks.free(worker, call);
    worker.done += 1;
    worker.doneSinceLoad += 1;
    this.#proved(worker);
    if (call.state === 'sent') {
      counts.run.record(runMs);
      const heldMs = this.#options.clock.now() - call.sentAt;
      counts.transport.record(heldMs - runMs);
      this.#parts.feeder.departures.answered(call.task, Math.max(heldMs, runMs));
      this.#callbacks.settle(call, ending, value);
    }
    upkeep.answered(worker);
  }

  #proved(worker: PoolWorker): void {
    if (worker.proved) return;
    worker.proved = true;
    this.#parts.pool.proved();
  }

  #dropped(worker: PoolWorker, call: Call | undefined): void {
    if (call === undefined) return;
    this.#callbacks.free(worker, call);
    if (call.state !== 'sent') return;
    // A worker starts nothing whose deadline has passed, and drops calls that were not aborted when it stops: others run that.
    if (call.deadline !== undefined && Date.now() >= call.deadline) {
      this.#callbacks.late(call, { code: 'ERR_TIMEOUT', limit: call.options?.timeoutMs ?? 0 });
    } else this.#parts.feeder.putBack(call);
    this.#parts.feeder.pumpAll();
    this.#parts.pool.fill();
  }

  #started(call: Call | undefined): void {
    if (call?.state === 'sent') this.#parts.timers.started(call);
  }

  #progress(call: Call | undefined, data: unknown): void {
    if (call?.state !== 'sent') return;
    try {
      call.onProgress?.(data);
    } catch (error) {
      this.#callbacks.giveUp(call, error, 'failed');
    }
  }

  #loaded(worker: PoolWorker, frame: Extract<FromWorker, { readonly kind: 'load' }>): void {
    const { elapsedMs, activeMs, memoryBytes } = frame;
    const { doneSinceLoad: done } = worker;
    const starved = worker.starved || (!worker.hasRoom && this.#parts.feeder.hasFor(worker.slot));
    worker.window.record({ elapsedMs, activeMs, done, starved });
    worker.doneSinceLoad = 0;
    worker.starved = false;
    if (memoryBytes !== undefined) worker.memoryBytes = memoryBytes;
  }
}
