/** The callbacks of one signal, and its only listener. */
interface Listening {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}

/**
 * Calls back when signals abort, with one listener a signal however many callbacks it has: a signal looks
 * through its listeners for an equal one at each that is added, and Node 20 warns of a leak at the eleventh.
 */
export class SignalListeners {
  readonly #bySignal = new Map<AbortSignal, Listening>();

  /** Calls `onAbort` once when `signal` aborts. Returns what takes the callback away again. */
  add(signal: AbortSignal, onAbort: () => void): () => void {
    const { callbacks } = this.#bySignal.get(signal) ?? this.#listen(signal);
    // One function may be given twice; each call of `add` is a callback of its own.
    const callback = (): void => onAbort();
    callbacks.add(callback);
    return () => this.#remove(signal, callback);
  }

  #listen(signal: AbortSignal): Listening {
    const callbacks = new Set<() => void>();
    const onAbort = (): void => {
      this.#bySignal.delete(signal);
      for (const callback of callbacks) callback();
    };
    const listening = { callbacks, onAbort };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#bySignal.set(signal, listening);
    return listening;
  }

  #remove(signal: AbortSignal, callback: () => void): void {
    const listening = this.#bySignal.get(signal);
    if (!listening?.callbacks.delete(callback) || listening.callbacks.size > 0) return;
    this.#bySignal.delete(signal);
    signal.removeEventListener('abort', listening.onAbort);
  }
}
