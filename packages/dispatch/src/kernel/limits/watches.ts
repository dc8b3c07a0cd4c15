import type { AbortWaiter, Clock } from '@ticketing/kit';
import { look, SignalWatch } from './signal-watch.ts';
import { type Limited, type TimeLimit, TimeLimits } from './time-limits.ts';
import { type Listed, WatchList } from './watch-list.ts';

const microtask = Promise.resolve();

/** Reason for which a watched call is over. */
export type Over =
  | { readonly why: 'aborted'; readonly reason: unknown }
  | { readonly why: TimeLimit<unknown>['code']; readonly ms: number };

/** Limits that the caller of one call has set. */
export interface WatchedLimits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly queueTimeoutMs?: number | undefined;
}

/** Watch over the signal and the time limits of one call. */
export class Watch<T extends Limited> implements AbortWaiter, Listed<Watch<T>> {
  timeLimit: TimeLimit<Watch<T>> | undefined = undefined;
  queueLimit: TimeLimit<Watch<T>> | undefined = undefined;
  list: WatchList<Watch<T>> | undefined = undefined;
  listedAt = 0;
  readonly call: T;
  readonly limits: WatchedLimits;
  /** Calls in flight when it was made. */
  readonly active: number;
  readonly #over: (call: T, over: Over) => void;

  constructor(call: T, limits: WatchedLimits, active: number, over: (call: T, over: Over) => void) {
    this.call = call;
    this.limits = limits;
    this.active = active;
    this.#over = over;
  }

  get signal(): AbortSignal | undefined {
    return this.limits.signal;
  }

  get enqueuedAt(): number {
    return this.call.enqueuedAt;
  }

  aborted(reason: unknown): void {
    this.#over(this.call, { why: 'aborted', reason });
  }

  passed({ code, ms }: TimeLimit<Watch<T>>): void {
    this.#over(this.call, { why: code, ms });
  }
}

/** Watches over calls, with few timers and few listeners. */
export class Watches<T extends Limited> {
  readonly #signals: SignalWatch<Watch<T>>;
  readonly #limits: TimeLimits<Watch<T>>;
  /** Watches of calls that are about to be sent, and of calls that have just been sent. */
  #unsent = new WatchList<Watch<T>>();
  #sent = new WatchList<Watch<T>>();

  readonly #over: (call: T, over: Over) => void;

  /** @param over - called when a signal or a limit has ended a call */
  constructor(clock: Clock, over: (call: T, over: Over) => void) {
    this.#over = over;
    this.#signals = new SignalWatch(clock);
    this.#limits = new TimeLimits(clock, (limit) => limit.call.passed(limit));
  }

  /** Returns a watch that has not begun. */
  create(call: T, limits: WatchedLimits, active: number): Watch<T> {
    return new Watch(call, limits, active, this.#over);
  }

  /**
   * Begins a watch. With `isUnsent` it begins once the call has been sent, after `sending` and `sent`: most calls that run in this
   * thread are answered by then.
   */
  begin(watch: Watch<T>, isUnsent: boolean): void {
    if (isUnsent) this.#unsent.add(watch);
    else this.#begin(watch);
  }

  /** Must be called before frames are sent: calls whose signals have aborted since they were made are given up before. */
  sending(): void {
    if (this.#unsent.isEmpty) return;
    if (!this.#sent.isEmpty) this.#beginSent();
    [this.#unsent, this.#sent] = [this.#sent, this.#unsent];
    this.#sent.forEach(look);
  }

  /** Must be called after frames were sent. Answers from this thread come in the microtasks before that of this. */
  sent(): void {
    if (!this.#sent.isEmpty) void microtask.then(this.#beginSent);
  }

  /** Ends a watch, once. */
  end(watch: Watch<T>): void {
    if (watch.list === this.#unsent || watch.list === this.#sent) {
      watch.list.remove(watch);
      return;
    }
    if (watch.timeLimit !== undefined) this.#limits.remove(watch.timeLimit);
    if (watch.queueLimit !== undefined) this.#limits.remove(watch.queueLimit);
    if (watch.signal !== undefined) this.#signals.remove(watch);
  }

  /** Ends the checks of signals, after the last call. */
  close(): void {
    this.#signals.close();
  }

  /** Begins the watches of calls that were sent and are still in flight. */
  readonly #beginSent = (): void => this.#sent.forEach(this.#begin);

  readonly #begin = (watch: Watch<T>): void => {
    watch.list?.remove(watch);
    const { signal, timeoutMs, queueTimeoutMs } = watch.limits;
    if (timeoutMs !== undefined) {
      watch.timeLimit = this.#limits.add(watch, 'ERR_TIMEOUT', timeoutMs);
    }
    if (queueTimeoutMs !== undefined) {
      watch.queueLimit = this.#limits.add(watch, 'ERR_QUEUE_TIMEOUT', queueTimeoutMs);
    }
    if (signal === undefined) return;
    this.#signals.add(watch, watch.active);
    look(watch);
  };
}
