import type { RunOptions } from '../../contract/dispatcher.ts';
import type { DispatchError } from '../../errors.ts';
import { startFairTimer } from '../fair-timer.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from '../workers/pool-worker.ts';
import type { Call } from './call.ts';
import { timedOut } from './call-errors.ts';
import { CallList } from './call-list.ts';
import { SignalWatch } from './signal-watch.ts';
import { type TimeLimit, TimeLimits } from './time-limits.ts';

/** Poll interval for an abandoned task that waits behind others. */
const MIN_RECHECK_MS = 10;
/** Least time in which a worker that lives must show it, before it is killed for a task. */
const LEAST_ANSWER_MS = 100;

const microtask = Promise.resolve();

interface TimerCallbacks {
  /** The caller's signal was aborted. */
  aborted(call: Call, reason: unknown): void;
  timedOut(call: Call, error: DispatchError): void;
  /** Returns why a call has not begun, if no worker takes any. */
  whyUnbegun(call: Call): unknown;
  /** Whether the worker is killed for a task that does not settle. */
  isKilledFor(worker: PoolWorker): boolean;
  /** The worker is to show that it lives. */
  ask(worker: PoolWorker): void;
  /** An abandoned task has started, and did not settle within its grace. */
  stuck(worker: PoolWorker, call: Call): void;
}

/** Signals and timers of calls. */
export class CallTimers {
  readonly #options: ResolvedPoolOptions;
  readonly #callbacks: TimerCallbacks;
  readonly #signals: SignalWatch;
  readonly #limits: TimeLimits;
  /** Calls that are about to be sent, and those that have just been. */
  #unsent = new CallList();
  #sent = new CallList();

  constructor(options: ResolvedPoolOptions, callbacks: TimerCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
    this.#signals = new SignalWatch(options.clock, (call, reason) =>
      callbacks.aborted(call, reason),
    );
    this.#limits = new TimeLimits(options.clock, (limit) => this.#passed(limit));
  }

  /**
   * Watches the signal and the limits that the caller set. `active`: calls in flight; `isUnsent`: `sending` is called before the
   * call is sent. Such a call is watched once it has been sent: most of those that run in this thread are answered by then.
   */
  watch(call: Call, options: RunOptions, active: number, isUnsent: boolean): void {
    const { signal, timeoutMs, queueTimeoutMs } = options;
    if ((signal ?? timeoutMs ?? queueTimeoutMs) === undefined) return;
    // The consumer of a stream hears of an abort at once, however many calls there are.
    call.active = call.items === undefined ? active : 0;
    if (isUnsent && call.items === undefined) this.#unsent.add(call);
    else this.#begin(call);
  }

  /** Frames are sent after this: calls whose signals have aborted since they were made are given up before. */
  sending(): void {
    if (this.#unsent.isEmpty) return;
    if (!this.#sent.isEmpty) this.#beginSent();
    [this.#unsent, this.#sent] = [this.#sent, this.#unsent];
    this.#sent.forEach(this.#look);
  }

  /** Frames were sent. What answers in this thread does so in the microtasks before those of this. */
  sent(): void {
    if (!this.#sent.isEmpty) void microtask.then(this.#beginSent);
  }

  /** The caller has been answered. */
  unwatch(call: Call, { signal }: RunOptions): void {
    if (call.watched === this.#unsent || call.watched === this.#sent) {
      call.watched.remove(call);
      return;
    }
    if (call.timeLimit !== undefined) this.#limits.remove(call.timeLimit);
    if (call.queueLimit !== undefined) this.#limits.remove(call.queueLimit);
    if (signal !== undefined) this.#signals.remove(call, signal);
  }

  /** Ends what watches signals, after the last call. */
  close(): void {
    this.#signals.close();
  }

  /** The worker has started the task. */
  started(call: Call): void {
    const limit = call.options?.runTimeoutMs;
    if (limit === undefined) return;
    const { clock, name } = this.#options;
    call.workerTimer = clock.setTimeout(() => {
      const error = timedOut('ERR_RUN_TIMEOUT', name, { task: call.task, limit });
      this.#callbacks.timedOut(call, error);
    }, limit);
  }

  /**
   * Gives an abandoned task `graceMs` to settle. A worker that would be killed for it is asked half-way whether it lives. One
   * that is silent may be paused, or late: it has the time once more, and if it answers in it, so has the task.
   */
  startGrace(worker: PoolWorker, call: Call, graceMs: number = this.#options.abortGraceMs): void {
    const hasStarted = (): boolean => call.seq <= (worker.handle?.started() ?? 0);
    let asked: number | undefined;
    const ask = (): void => {
      if (asked !== undefined || !hasStarted() || !this.#callbacks.isKilledFor(worker)) return;
      asked = worker.heard;
      this.#callbacks.ask(worker);
    };
    const hasAnswered = (): boolean => worker.heard !== asked;
    const stuck = (): void => this.#callbacks.stuck(worker, call);
    const answerMs = Math.max(graceMs, LEAST_ANSWER_MS);
    this.#wait(call, graceMs / 2, () => {
      ask();
      this.#wait(call, graceMs / 2, () => {
        // Other tasks hold it up: it has its grace from its start.
        if (!hasStarted()) this.startGrace(worker, call, Math.max(graceMs, MIN_RECHECK_MS));
        else if (!this.#callbacks.isKilledFor(worker)) stuck();
        else if (asked !== undefined && hasAnswered()) stuck();
        else {
          ask();
          this.#wait(call, answerMs, () => {
            if (hasAnswered()) this.#wait(call, graceMs, stuck);
            else stuck();
          });
        }
      });
    });
  }

  /** Replaces the timer that the call has for its worker. */
  #wait(call: Call, ms: number, passed: () => void): void {
    this.freed(call);
    const set = (timer: unknown): void => {
      call.workerTimer = timer;
    };
    startFairTimer({ clock: this.#options.clock, ms, set, passed });
  }

  /** The worker has nothing more to do with the call. */
  freed(call: Call): void {
    if (call.workerTimer !== undefined) this.#options.clock.clearTimeout(call.workerTimer);
    call.workerTimer = undefined;
  }

  readonly #look = (call: Call): void => {
    const signal = call.options?.signal;
    if (signal?.aborted) this.#callbacks.aborted(call, signal.reason);
  };

  /** Calls that were sent are still in flight. */
  readonly #beginSent = (): void => this.#sent.forEach(this.#begin);

  readonly #begin = (call: Call): void => {
    call.watched?.remove(call);
    const { signal, timeoutMs, queueTimeoutMs } = call.options ?? {};
    if (timeoutMs !== undefined) call.timeLimit = this.#limits.add(call, 'ERR_TIMEOUT', timeoutMs);
    if (queueTimeoutMs !== undefined) {
      call.queueLimit = this.#limits.add(call, 'ERR_QUEUE_TIMEOUT', queueTimeoutMs);
    }
    if (signal === undefined) return;
    this.#signals.add(call, signal, call.active);
    this.#look(call);
  };

  #passed({ call, code, ms }: TimeLimit): void {
    const hasStarted = call.seq <= (call.worker?.handle?.started() ?? 0);
    if (code === 'ERR_QUEUE_TIMEOUT' && call.state === 'sent' && hasStarted) return;
    const { name } = this.#options;
    const cause = this.#callbacks.whyUnbegun(call);
    this.#callbacks.timedOut(call, timedOut(code, name, { task: call.task, limit: ms, cause }));
  }
}
