import { type Clock, createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { Call } from './call.ts';
import { CallList } from './call-list.ts';

/** Milliseconds between two checks of the signals that have no listener yet. */
const CHECK_MS = 1;
/** From this many calls in flight on, a signal gets its listener late. With fewer, the kernel's part of a call's time is small. */
const MANY = 16;

/**
 * Watches the signals of calls, and adds few listeners: to add and to remove one takes longer than to run a small task. With
 * fewer than `MANY` calls in flight, a signal gets its listener at once. Otherwise it gets one only if its call is in flight for
 * more than 1 to 2 ms; until then an abort is noticed at the next check, and when the call is about to start or to be answered:
 * no call is started or answered after its signal was aborted.
 */
export class SignalWatch {
  readonly #clock: Clock;
  readonly #aborted: (call: Call, reason: unknown) => void;
  readonly #listeners: SignalListeners = createSignalListeners();
  /** Calls that were added since the last check. */
  #young = new CallList();
  /** Calls that one check has seen: at the next one they get listeners. */
  #old = new CallList();
  #timer: unknown;

  constructor(clock: Clock, aborted: (call: Call, reason: unknown) => void) {
    this.#clock = clock;
    this.#aborted = aborted;
  }

  /** @param active - Calls in flight when it was made */
  add(call: Call, signal: AbortSignal, active: number): void {
    if (active < MANY) {
      this.#listeners.add(signal, call);
      return;
    }
    this.#young.add(call);
    this.#checkSoon();
  }

  remove(call: Call, signal: AbortSignal): void {
    // The timer goes on: to stop and to start one again takes longer than its look.
    if (call.watched === undefined) this.#listeners.remove(signal, call);
    else call.watched.remove(call);
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
    // A listener of the caller may end other calls, which removes them from these lists during the loop.
    this.#old.forEach(this.#lookLast);
    [this.#old, this.#young] = [this.#young, this.#old];
    this.#old.forEach(this.#look);
    if (!this.#old.isEmpty || !this.#young.isEmpty) this.#checkSoon();
  }

  readonly #look = (call: Call): void => {
    const signal = call.options?.signal;
    if (signal?.aborted) this.#aborted(call, signal.reason);
  };

  readonly #lookLast = (call: Call): void => {
    this.#old.remove(call);
    const signal = call.options?.signal;
    if (signal === undefined) return;
    this.#listeners.add(signal, call);
    // Its settling removes the listener.
    if (signal.aborted) this.#aborted(call, signal.reason);
  };
}
