import type { AbortWaiter, Clock, SignalListeners } from '@ticketing/kit';

/** The calls that wait for one load, and may leave it. */
export interface WaitingCalls<V> {
  /** Calls in the order in which they came. Each is removed before it settles. */
  readonly calls: Set<WaitingCall<V>>;
  /** Copies the value for one caller. */
  readonly copy?: ((value: V) => V) | undefined;
  /** Called after a call has left. */
  readonly onLeave: () => void;
}

/**
 * One call that may leave a load. The load has a set of them, and settles each: a reaction to its promise costs more, and
 * would keep what the caller holds after it has left.
 */
export class WaitingCall<V> implements AbortWaiter {
  readonly promise: Promise<V>;
  readonly #load: WaitingCalls<V>;
  #resolve!: (value: V) => void;
  #reject!: (error: unknown) => void;
  #signal: { readonly signal: AbortSignal; readonly listeners: SignalListeners } | undefined;
  #timer: { readonly clock: Clock; readonly id: unknown } | undefined;

  constructor(load: WaitingCalls<V>) {
    this.#load = load;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    load.calls.add(this);
  }

  /** Leaves as a signal aborts. */
  leaveBy(signal: AbortSignal, listeners: SignalListeners): void {
    this.#signal = { signal, listeners };
    listeners.add(signal, this);
  }

  /** Lets the call leave when its time is up. */
  leaveAfter(
    ms: number,
    { clock, error }: { readonly clock: Clock; readonly error: () => Error },
  ): void {
    this.#timer = { clock, id: clock.setTimeout(() => this.aborted(error()), ms) };
  }

  /** Rejects the call, unless it has settled. */
  aborted(reason: unknown): void {
    if (!this.#load.calls.delete(this)) return;
    this.#release();
    this.#load.onLeave();
    this.#reject(reason);
  }

  resolve(value: V): void {
    this.#release();
    const { copy } = this.#load;
    try {
      this.#resolve(copy === undefined ? value : copy(value));
    } catch (error) {
      this.#reject(error);
    }
  }

  reject(error: unknown): void {
    this.#release();
    this.#reject(error);
  }

  #release(): void {
    this.#signal?.listeners.remove(this.#signal.signal, this);
    this.#timer?.clock.clearTimeout(this.#timer.id);
  }
}

/** Settles the calls of a load, in their order. */
export function settleCalls<V>(
  { calls }: WaitingCalls<V>,
  settle: (call: WaitingCall<V>) => void,
): void {
  for (const call of calls) {
    calls.delete(call);
    settle(call);
  }
}
