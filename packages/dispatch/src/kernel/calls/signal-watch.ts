import { type Clock, createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { Call } from './call.ts';

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
  #young = new Set<Call>();
  /** Calls that one check has seen: at the next one they get listeners. */
  #old = new Set<Call>();
  #timer: unknown;

  constructor(clock: Clock, aborted: (call: Call, reason: unknown) => void) {
    this.#clock = clock;
    this.#aborted = aborted;
  }

  /** @param active - Calls in flight */
  add(call: Call, signal: AbortSignal, active: number): void {
    if (active < MANY) {
      this.#listeners.add(signal, call);
      return;
    }
    this.#young.add(call);
    this.#checkSoon();
  }

  remove(call: Call, signal: AbortSignal): void {
    if (!this.#young.delete(call) && !this.#old.delete(call)) this.#listeners.remove(signal, call);
    else if (this.#timer !== undefined && this.#isEmpty) this.#stop();
  }

  get #isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0;
  }

  #stop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
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
    // A listener of the caller may end other calls, which removes them from these sets during the loop.
    for (const call of this.#old) {
      this.#old.delete(call);
      const signal = call.options?.signal;
      if (signal?.aborted) this.#aborted(call, signal.reason);
      else if (signal !== undefined) this.#listeners.add(signal, call);
    }
    [this.#old, this.#young] = [this.#young, this.#old];
    for (const call of this.#old) {
      const signal = call.options?.signal;
      if (signal?.aborted) this.#aborted(call, signal.reason);
    }
    if (!this.#isEmpty) this.#checkSoon();
  }
}
