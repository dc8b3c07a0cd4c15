import { type AbortWaiter, createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { GuardClock } from '../guard-clock.ts';
import { type Due, DueHeap } from './due-heap.ts';

/** Something that ends by itself, by a signal or at a time. The watch alone writes `dueAt` and `place`. */
export interface Watched extends AbortWaiter, Due {
  readonly signal: AbortSignal | undefined;
}

/** Longest delay of the platform's timers. */
const LONGEST_MS = 2 ** 31 - 1;
const NEVER = Number.POSITIVE_INFINITY;
/** Place of a call that is not watched. Young calls have places below it. */
const NOWHERE = -1;

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
  /** Calls that began since the last turn, in no order. */
  readonly #young: T[] = [];
  readonly #old = new DueHeap<T>();
  #isSoon = false;
  #isFiring = false;
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
    return this.#young.length + this.#old.size;
  }

  /** Returns all calls. */
  calls(): T[] {
    return [...this.#old.all(), ...this.#young];
  }

  /** Watches a call that begins. */
  add(call: T, dueAt: number): void {
    call.dueAt = dueAt;
    call.place = NOWHERE - this.#young.push(call);
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#clock.soon(this.#onSoon);
  }

  /** True for a call that is watched. */
  has(call: T): boolean {
    return call.place !== NOWHERE;
  }

  /** Watches a call no longer. Does nothing for one that is not watched. */
  remove(call: T): void {
    if (call.place === NOWHERE) return;
    if (call.listening !== undefined && call.signal !== undefined) {
      this.#listeners.remove(call.signal, call);
    }
    if (call.place < NOWHERE) this.#removeYoung(call);
    else {
      this.#old.delete(call);
      if (this.#old.size === 0) this.#stop();
    }
  }

  /** The last young call takes the place of the one that leaves. */
  #removeYoung(call: T): void {
    const last = this.#young.pop() as T;
    if (last !== call) {
      this.#young[NOWHERE - 1 - call.place] = last;
      last.place = call.place;
    }
    call.place = NOWHERE;
  }

  /** Hears of an abort of the call's signal at once, from now on. */
  listen(call: T): void {
    if (call.signal !== undefined && this.has(call)) this.#listeners.add(call.signal, call);
  }

  /** Sets the time at which something is due for a call. */
  setDue(call: T, at: number): void {
    call.dueAt = at;
    if (call.place <= NOWHERE) return;
    this.#old.moved(call);
    this.#arm();
  }

  /** A turn of the event loop is over: calls that are there still get what they did without until now. */
  #grow(): void {
    this.#isSoon = false;
    // An abort may end other calls and begin new ones.
    for (let call = this.#young.at(-1); call !== undefined; call = this.#young.at(-1)) {
      this.#young.pop();
      this.#old.add(call);
      if (call.signal === undefined) continue;
      if (call.signal.aborted) call.aborted(call.signal.reason);
      else this.#listeners.add(call.signal, call);
    }
    this.#arm();
  }

  /** Sets the timer to the first time, if that is earlier than the timer. A timer that turns out to be early is set again. */
  #arm(): void {
    const { first } = this.#old;
    if (first === undefined || first.dueAt >= this.#timerAt || this.#isFiring) return;
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timerAt = first.dueAt;
    const ms = Math.ceil(Math.max(0, first.dueAt - this.#clock.now()));
    this.#timer = this.#clock.setTimeout(this.#onTimer, Math.min(ms, LONGEST_MS));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAt = NEVER;
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = NEVER;
    const now = this.#clock.now();
    this.#isFiring = true;
    try {
      this.#due(this.#old.dueAt(now), now);
    } finally {
      this.#isFiring = false;
      this.#arm();
    }
  }
}
