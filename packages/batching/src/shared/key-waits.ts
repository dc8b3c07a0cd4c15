import type { Clock } from '@ticketing/kit';
import type { LeaseStore, Listening } from './lease-store.ts';

/** A claim that waits for a load of another process. */
export interface KeyWait {
  /** Resolves with true once messages arrive. It is resolved if they did before this wait began. Never rejects. */
  readonly listens: Promise<unknown>;
  /** True if messages arrived already when this wait began: none can have been missed. */
  readonly isListening: boolean;
  /** Resolves at the next message, or at the time of `wakeAfter`. Never rejects. */
  readonly woken: Promise<void>;
  /** Ends the wait at this time, if no message came: one may have been lost. */
  wakeAfter(ms: number): void;
  /** Ends the wait once messages arrive, because one may have come before. */
  wakeOnceListening(): void;
  /** Idempotent. */
  leave(): void;
}

interface Waiters {
  readonly listening: Listening;
  isListening: boolean;
  /** True if the engine has this process among the waiters. */
  isNoted: boolean;
  readonly wakers: Set<() => void>;
}

/** Keys that this process waits for: one subscription per key, however many claims wait. */
export class KeyWaits {
  readonly #store: LeaseStore;
  readonly #clock: Clock;
  readonly #onLeft: (key: string) => void;
  readonly #keys = new Map<string, Waiters>();
  #waiting = 0;

  /** `onLeft`: the last claim of a key left, and the engine does not know it. */
  constructor(store: LeaseStore, clock: Clock, onLeft: (key: string) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onLeft = onLeft;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Returns whether messages of the key arrive. */
  listensTo(key: string): boolean {
    return this.#keys.get(key)?.isListening ?? false;
  }

  /** Remembers whether the engine has this process among the waiters of the key. */
  note(key: string, isNoted: boolean): void {
    const waiters = this.#keys.get(key);
    if (waiters !== undefined) waiters.isNoted = isNoted;
  }

  begin(key: string): KeyWait {
    const waiters = this.#keys.get(key) ?? this.#listen(key);
    const { promise: woken, resolve: wake } = deferred();
    waiters.wakers.add(wake);
    this.#waiting += 1;
    let timer: unknown;
    return {
      listens: waiters.listening.ready,
      isListening: waiters.isListening,
      woken,
      wakeAfter: (ms) => {
        timer = this.#clock.setTimeout(wake, ms);
      },
      wakeOnceListening: () => void waiters.listening.ready.then(wake),
      leave: () => {
        if (timer !== undefined) this.#clock.clearTimeout(timer);
        if (!waiters.wakers.delete(wake)) return;
        this.#waiting -= 1;
        wake();
        if (waiters.wakers.size > 0) return;
        this.#keys.delete(key);
        waiters.listening.stop();
        if (waiters.isNoted) this.#onLeft(key);
      },
    };
  }

  /** Wakes all, of all keys. */
  wakeAll(): void {
    for (const waiters of this.#keys.values()) for (const wake of waiters.wakers) wake();
  }

  #listen(key: string): Waiters {
    const wakers = new Set<() => void>();
    const wakeKey = (): void => {
      for (const wake of wakers) wake();
    };
    const listening = this.#store.listen(key, wakeKey);
    const waiters: Waiters = { listening, isListening: false, isNoted: false, wakers };
    void listening.ready.then(() => {
      waiters.isListening = true;
    });
    this.#keys.set(key, waiters);
    return waiters;
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
