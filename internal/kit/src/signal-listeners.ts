/** Who waits on a signal. */
export interface AbortWaiter {
  /** Called once with the signal's reason. Must not throw: those after it would not be told. */
  aborted(reason: unknown): void;
}

/** Has one listener on each signal, however many wait on it. */
export interface SignalListeners {
  /** Waits on a signal that has not aborted yet; a waiter counts once for each signal. */
  add(signal: AbortSignal, waiter: AbortWaiter): void;
  /** Waits no more. With the last waiter of a signal its listener goes. */
  remove(signal: AbortSignal, waiter: AbortWaiter): void;
}

/**
 * Creates listeners, at first none. A signal that many calls share would otherwise get a listener of each, and the last
 * one of 10,000 costs 10,000 steps to add and to remove.
 *
 * Waiters are told in the order of adding; one that is removed by another meanwhile is not told.
 */
export function createSignalListeners(): SignalListeners {
  /** Most signals have one waiter: no set then. */
  const waiting = new Map<AbortSignal, AbortWaiter | Set<AbortWaiter>>();

  /** One function for all signals. */
  function tell(event: Event): void {
    const signal = event.target as AbortSignal;
    const waiters = waiting.get(signal);
    if (waiters instanceof Set) for (const waiter of waiters) waiter.aborted(signal.reason);
    else waiters?.aborted(signal.reason);
    waiting.delete(signal);
  }

  return {
    add(signal, waiter) {
      const waiters = waiting.get(signal);
      if (waiters instanceof Set) waiters.add(waiter);
      else if (waiters !== undefined) waiting.set(signal, new Set([waiters, waiter]));
      else {
        waiting.set(signal, waiter);
        signal.addEventListener('abort', tell, { once: true });
      }
    },
    remove(signal, waiter) {
      const waiters = waiting.get(signal);
      if (waiters instanceof Set) {
        waiters.delete(waiter);
        if (waiters.size > 0) return;
      } else if (waiters !== waiter) return;
      waiting.delete(signal);
      signal.removeEventListener('abort', tell);
    },
  };
}
