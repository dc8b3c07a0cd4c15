import { createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { RunOptions } from '../../contract/dispatcher.ts';
import type { DispatchError } from '../../errors.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from '../workers/pool-worker.ts';
import type { Call } from './call.ts';
import { type TimeoutCode, timedOut } from './call-errors.ts';

/** Poll interval for an abandoned task that waits behind others. */
const MIN_RECHECK_MS = 10;

interface TimerCallbacks {
  timedOut(call: Call, error: DispatchError): void;
  /** An abandoned task has started, and did not settle within its grace. */
  stuck(worker: PoolWorker, call: Call): void;
}

/** Signals and timers of calls. */
export class CallTimers {
  readonly #options: ResolvedPoolOptions;
  readonly #callbacks: TimerCallbacks;
  readonly #signals: SignalListeners = createSignalListeners();

  constructor(options: ResolvedPoolOptions, callbacks: TimerCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
  }

  /** Watches the limits that the caller set. */
  watch(call: Call, options: RunOptions): void {
    const { signal, timeoutMs, queueTimeoutMs } = options;
    if (signal !== undefined) this.#signals.add(signal, call);
    if (timeoutMs !== undefined) {
      call.timeoutTimer = this.#start(call, 'ERR_TIMEOUT', timeoutMs);
    }
    if (queueTimeoutMs !== undefined) {
      call.queueTimer = this.#start(call, 'ERR_QUEUE_TIMEOUT', queueTimeoutMs);
    }
  }

  /** The caller has been answered. */
  unwatch(call: Call, { signal }: RunOptions): void {
    const { clock } = this.#options;
    if (call.timeoutTimer !== undefined) clock.clearTimeout(call.timeoutTimer);
    if (call.queueTimer !== undefined) clock.clearTimeout(call.queueTimer);
    if (signal !== undefined) this.#signals.remove(signal, call);
  }

  /** The worker has started the task. */
  started(call: Call): void {
    const limit = call.options?.runTimeoutMs;
    if (limit !== undefined) call.workerTimer = this.#start(call, 'ERR_RUN_TIMEOUT', limit);
  }

  /** Gives an abandoned task `graceMs` to settle. */
  startGrace(worker: PoolWorker, call: Call, graceMs: number = this.#options.abortGraceMs): void {
    this.freed(call);
    call.workerTimer = this.#options.clock.setTimeout(() => {
      const hasStarted = call.seq <= (worker.handle?.started() ?? 0);
      // Other tasks hold it up: it has its grace from its start.
      if (!hasStarted) this.startGrace(worker, call, Math.max(graceMs, MIN_RECHECK_MS));
      else this.#callbacks.stuck(worker, call);
    }, graceMs);
  }

  /** The worker has nothing more to do with the call. */
  freed(call: Call): void {
    if (call.workerTimer !== undefined) this.#options.clock.clearTimeout(call.workerTimer);
    call.workerTimer = undefined;
  }

  #start(call: Call, code: TimeoutCode, limit: number): unknown {
    const { clock, name } = this.#options;
    return clock.setTimeout(() => {
      const hasStarted = call.seq <= (call.worker?.handle?.started() ?? 0);
      if (code === 'ERR_QUEUE_TIMEOUT' && call.state === 'sent' && hasStarted) return;
      this.#callbacks.timedOut(call, timedOut(code, name, { task: call.task, limit }));
    }, limit);
  }
}
