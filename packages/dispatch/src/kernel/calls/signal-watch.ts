import { type Clock, createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { Call } from './call.ts';

/** Milliseconds between two looks at signals that have no listener yet. */
const LOOK_MS = 1;
/** Calls in flight from which a signal gets its listener late: with fewer the time of a call is not that of the kernel. */
const MANY = 16;

/**
 * Watches the signals of calls. A listener takes longer to add and to remove than a small task takes to run: while many calls are
 * in flight, one whose call ends within a millisecond or two gets none. Such a call notices its signal by then, or when it is
 * about to start or to end: it is never started or answered after its signal was aborted.
 */
export class SignalWatch {
  readonly #clock: Clock;
  readonly #aborted: (call: Call, reason: unknown) => void;
  readonly #listeners: SignalListeners = createSignalListeners();
  /** Calls since the last look, and since the one before: these get listeners. */
  #young = new Set<Call>();
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
    this.#lookSoon();
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

  #lookSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_MS);
    // The calls keep the process alive, not this timer.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #look(): void {
    // Whoever hears of an abort may end other calls, which are removed from here then.
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
    if (!this.#isEmpty) this.#lookSoon();
  }
}
