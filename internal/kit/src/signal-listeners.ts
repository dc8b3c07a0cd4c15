/** Waits on one signal at a time. */
export interface AbortWaiter {
  /** Called once with the signal's reason. Must not throw, or the waiters after it are not called. */
  aborted(reason: unknown): void;
  /** Written by {@link SignalListeners} alone. */
  listening?: SignalListener | undefined;
}

/** Keeps one listener per signal, however many wait on it. */
export interface SignalListeners {
  /** Waits on a signal that has not aborted yet. Adding a waiter again changes nothing. */
  add(signal: AbortSignal, waiter: AbortWaiter): void;
  /** Removes a waiter, and with the last one of a signal its listener. */
  remove(signal: AbortSignal, waiter: AbortWaiter): void;
}

/** The listener of a signal. */
interface SignalListener {
  /** Signal that is listened to; `undefined` once the listener no longer listens. */
  signal: AbortSignal | undefined;
  /** Most signals have one waiter: no set then. */
  waiters: AbortWaiter | Set<AbortWaiter> | undefined;
  /** Called by the signal. */
  handleEvent(): void;
}

/** Signals whose listener is found again. With more of them in turn, a signal may have more than one. */
const RECENT = 16;
const once = { once: true };

/**
 * Creates an empty set of listeners. Without it, a signal that many calls share gets a listener of each, and the last
 * one of 10,000 costs 10,000 steps to add and to remove.
 *
 * Waiters are called in the order of adding, except waiters that another one has removed meanwhile.
 */
export function createSignalListeners(): SignalListeners {
  // No `Map` of all signals: the collector would keep signals for long after their last use (see `LinkedList`).
  const recent: SignalListener[] = [];
  let place = 0;

  /** One function for all signals. */
  function handleEvent(this: SignalListener): void {
    const { signal, waiters } = this;
    for (const waiter of waiters instanceof Set ? waiters : [waiters as AbortWaiter]) {
      waiter.listening = undefined;
      waiter.aborted(signal?.reason);
    }
    this.signal = undefined;
    this.waiters = undefined;
  }

  return {
    add(signal, waiter) {
      if (waiter.listening?.signal === signal) return;
      let listener = recent.find((one) => one.signal === signal);
      if (listener === undefined) {
        listener = { signal, waiters: waiter, handleEvent };
        recent[place] = listener;
        place = (place + 1) % RECENT;
        signal.addEventListener('abort', listener, once);
      } else if (listener.waiters instanceof Set) listener.waiters.add(waiter);
      else listener.waiters = new Set([listener.waiters as AbortWaiter, waiter]);
      waiter.listening = listener;
    },
    remove(signal, waiter) {
      const listener = waiter.listening;
      if (listener?.signal !== signal) return;
      waiter.listening = undefined;
      const { waiters } = listener;
      if (waiters instanceof Set) {
        waiters.delete(waiter);
        if (waiters.size > 0) return;
      }
      listener.signal = undefined;
      listener.waiters = undefined;
      signal.removeEventListener('abort', listener);
    },
  };
}
