import type { Transport, WorkerEnd } from '../../contract/transport.ts';
import { type Call, traceRetry } from '../calls/call.ts';
import { circuitOpen, workerLost } from '../calls/call-errors.ts';
import type { CallTimers } from '../calls/call-timers.ts';
import type { Feeder } from '../calls/feeder.ts';
import type { Ending } from '../kernel-counts.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from './pool-worker.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Where the calls of workers go: to their caller, or to another worker. */
export interface CallsContext {
  readonly pool: WorkerPool;
  readonly feeder: Feeder;
  readonly timers: CallTimers;
  /** Answers the caller. */
  settle(call: Call, ending: Ending, value: unknown): void;
}

interface LossesContext extends CallsContext {
  readonly transport: Transport;
  /** There may be room for one more call. */
  onRoom(): void;
}

/** Handles the calls of workers that have ended: those that had not begun wait again, the others have their next attempt. */
export class WorkerLosses {
  readonly #context: LossesContext;
  readonly #options: ResolvedPoolOptions;

  constructor(context: LossesContext, options: ResolvedPoolOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** A worker has ended. */
  gone(worker: PoolWorker, end: WorkerEnd): void {
    const started = worker.handle?.started() ?? 0;
    const canMove = this.#context.transport.capabilities.transfer;
    const pid = worker.handle?.pid;
    // The last one first, so that each goes back before those after it.
    const calls = [...worker.calls].reverse();
    worker.calls.clear();
    for (const call of calls) {
      this.#context.timers.freed(call);
      if (call.state === 'abandoned') {
        call.state = 'settled';
      } else if (call.seq > started && !(canMove && call.isSpent)) {
        this.#context.feeder.putBack(call);
      } else {
        this.lost(worker, call, () => workerLost(this.#options.name, { pid, end }, call.task));
      }
    }
    this.#context.feeder.rehome();
    // Other workers may have room for them.
    this.#context.feeder.pumpAll();
    this.#context.onRoom();
  }

  /** The call may have run, and its worker cannot answer: the next attempt does, if it has one. */
  lost(worker: PoolWorker, call: Call, errorOf: () => unknown): void {
    if (call.items?.hasBegun || call.losses >= (call.options?.retries ?? 0)) {
      this.#context.settle(call, 'rejected', errorOf());
      return;
    }
    traceRetry(call, worker, this.#options.clock);
    call.losses += 1;
    call.counts.retried += 1;
    this.#context.feeder.putBack(call);
  }

  /** No worker will come for empty slots. */
  noSuccessor(error: unknown): void {
    this.#context.feeder.release();
    if (this.#context.pool.readyCount > 0) this.#context.feeder.pumpAll();
    else {
      for (const call of this.#context.feeder.drain()) {
        this.#context.settle(call, 'rejected', circuitOpen(this.#options.name, error, call.task));
      }
    }
    this.#context.onRoom();
  }
}
