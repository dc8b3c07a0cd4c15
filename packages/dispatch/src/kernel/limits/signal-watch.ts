import {
  type AbortWaiter,
  type Clock,
  createSignalListeners,
  type SignalListeners,
} from '@ticketing/kit';
import { type Listed, WatchList } from './watch-list.ts';

/** Milliseconds between two checks of the signals that have no listener yet. */
const CHECK_MS = 1;
/** Calls in flight from which on a signal gets its listener late. With fewer, the kernel's part of a call's time is small. */
const MANY = 16;

/** Member that waits for a signal. */
export interface Signalled<T> extends AbortWaiter, Listed<T> {
  readonly signal: AbortSignal | undefined;
}

/**
 * Watches signals with few listeners: adding and removing one takes longer than a small task. With fewer than `MANY` calls in
 * flight, a signal gets its listener at once. Otherwise it gets one only if its call is in flight for more than 1 to 2 ms; until
 * then an abort is noticed at the next check, and when the call is about to start or to be answered: no call is started or
 * answered after its signal was aborted.
 */
export class SignalWatch<T extends Signalled<T>> {
  readonly #clock: Clock;
  readonly #listeners: SignalListeners = createSignalListeners();
  /** Members that were added since the last check. */
  #young = new WatchList<T>();
  /** Members that one check has seen: at the next one they get listeners. */
  #old = new WatchList<T>();
  #timer: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param active - Calls in flight when it was made */
  add(member: T, active: number): void {
    if (active >= MANY) {
      this.#young.add(member);
      this.#checkSoon();
    } else if (member.signal !== undefined) this.#listeners.add(member.signal, member);
  }

  remove(member: T): void {
    // The timer goes on: stopping and starting one takes longer than its look.
    if (member.list !== undefined) member.list.remove(member);
    else if (member.signal !== undefined) this.#listeners.remove(member.signal, member);
  }

  /** Stops looking. */
  close(): void {
    this.#clock.clearTimeout(this.#timer);
    // Defined, so that no timer starts again.
    this.#timer = 'closed';
  }

  #checkSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, CHECK_MS);
    // The calls keep the process alive, not this timer.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #check(): void {
    // Whoever hears of an abort may remove other members from these lists during the loop.
    this.#old.forEach(this.#lookLast);
    [this.#old, this.#young] = [this.#young, this.#old];
    this.#old.forEach(look);
    if (!this.#old.isEmpty || !this.#young.isEmpty) this.#checkSoon();
  }

  readonly #lookLast = (member: T): void => {
    this.#old.remove(member);
    const { signal } = member;
    if (signal === undefined) return;
    this.#listeners.add(signal, member);
    // Its end removes the listener.
    look(member);
  };
}

/** Tells a member of its signal if that has aborted. */
export function look<T extends Signalled<T>>(member: T): void {
  if (member.signal?.aborted) member.aborted(member.signal.reason);
}
