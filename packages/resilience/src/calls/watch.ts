import { type AbortWaiter, createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { GuardClock } from '../guard-clock.ts';

/** Something that ends by itself, by a signal or at a time. */
export interface Watched extends AbortWaiter {
  readonly signal: AbortSignal | undefined;
  /** Time at which something is to be done. Written by the watch alone, as is `place`: -1 while it is not watched. */
  dueAt: number;
  place: number;
}

/** Longest delay of the platform's timers. */
const LONGEST_MS = 2 ** 31 - 1;
const NEVER = Number.POSITIVE_INFINITY;

/**
 * Watches the signals and the times of calls. A call gets its listener and its part in the timer in the turn of the event loop
 * after the one in which it began, so that a call that is answered at once costs neither. One timer serves all calls; there is
 * none without calls.
 */
export class Watch<T extends Watched> {
  readonly #clock: GuardClock;
  /** Does what is due for some calls. */
  readonly #due: (calls: readonly T[], now: number) => void;
  readonly #listeners: SignalListeners = createSignalListeners();
  /** Calls in no order: first those that are `#old`, then those that began since the last turn. */
  readonly #calls: T[] = [];
  #old = 0;
  #isSoon = false;
  #timer: unknown;
  /** Time at which the timer fires; Infinity without one. */
  #timerAt = NEVER;
  readonly #onSoon = (): void => this.#grow();
  readonly #onTimer = (): void => this.#fire();

  constructor(clock: GuardClock, due: (calls: readonly T[], now: number) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Number of calls. */
  get size(): number {
    return this.#calls.length;
  }

  /** Returns all calls. */
  calls(): T[] {
    return [...this.#calls];
  }

  /** Watches a call that begins. */
  add(call: T, dueAt: number): void {
    call.dueAt = dueAt;
    call.place = this.#calls.push(call) - 1;
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#clock.soon(this.#onSoon);
  }

  /** Watches a call no longer. Does nothing for one that is not watched. */
  remove(call: T): void {
    if (call.place < 0) return;
    if (call.listening !== undefined && call.signal !== undefined) {
      this.#listeners.remove(call.signal, call);
    }
    let hole = call.place;
    call.place = -1;
    if (hole < this.#old) {
      this.#old -= 1;
      this.#put(this.#calls[this.#old] as T, hole, call);
      hole = this.#old;
      if (hole === 0) this.#stop();
    }
    const last = this.#calls.pop() as T;
    if (hole < this.#calls.length) this.#put(last, hole, call);
  }

  #put(moved: T, place: number, removed: T): void {
    if (moved === removed) return;
    this.#calls[place] = moved;
    moved.place = place;
  }

  /** Hears of an abort of the call's signal at once, from now on. */
  listen(call: T): void {
    if (call.signal !== undefined && call.place >= 0) this.#listeners.add(call.signal, call);
  }

  /** Sets the time at which something is due for a call. */
  setDue(call: T, at: number): void {
    call.dueAt = at;
    if (at < this.#timerAt && call.place < this.#old && call.place >= 0) this.#arm(at);
  }

  /** A turn of the event loop is over: calls that are there still get what they do without until now. */
  #grow(): void {
    this.#isSoon = false;
    let earliest = this.#timerAt;
    // An abort may end other calls and begin new ones: the array is read anew for each.
    while (this.#old < this.#calls.length) {
      const call = this.#calls[this.#old] as T;
      this.#old += 1;
      if (call.dueAt < earliest) earliest = call.dueAt;
      if (call.signal === undefined) continue;
      if (call.signal.aborted) call.aborted(call.signal.reason);
      else this.#listeners.add(call.signal, call);
    }
    if (this.#old > 0 && earliest < this.#timerAt) this.#arm(earliest);
  }

  #arm(at: number): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timerAt = at;
    const ms = Math.ceil(Math.max(0, at - this.#clock.now()));
    this.#timer = this.#clock.setTimeout(this.#onTimer, Math.min(ms, LONGEST_MS));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAt = NEVER;
  }

  #fire(): void {
    // No timer is set while calls are looked at.
    this.#timer = undefined;
    this.#timerAt = Number.NEGATIVE_INFINITY;
    const now = this.#clock.now();
    this.#due(
      this.#calls.filter(({ dueAt, place }) => dueAt <= now && place < this.#old),
      now,
    );
    this.#timerAt = NEVER;
    let earliest = NEVER;
    for (let place = 0; place < this.#old; place += 1) {
      const { dueAt } = this.#calls[place] as T;
      if (dueAt < earliest) earliest = dueAt;
    }
    if (earliest < NEVER) this.#arm(earliest);
  }
}
