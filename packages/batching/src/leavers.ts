import {
  type AbortWaiter,
  type Clock,
  createSignalListeners,
  type SignalListeners,
} from '@ticketing/kit';

/** How one caller can leave a promise that others wait for, too. */
export interface LeaveOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?:
    | { readonly ms: number; readonly clock: Clock; readonly error: () => Error }
    | undefined;
  /** Called once, if the caller leaves before the promise has settled. */
  readonly onLeave: () => void;
}

/** Calls that leave when their signal aborts or their time is up. Leaves no listener and no timer behind. */
export class Leavers {
  readonly #signals: SignalListeners = createSignalListeners();

  /** A promise of one caller's own: settles as the shared one, or rejects when the caller leaves. */
  wait<V>(shared: Promise<V>, { signal, timeout, onLeave }: LeaveOptions): Promise<V> {
    return new Promise((resolve, reject) => {
      let timer: unknown;
      const release = (): void => {
        if (signal !== undefined) this.#signals.remove(signal, waiter);
        if (timer !== undefined) timeout?.clock.clearTimeout(timer);
      };
      const leave = (reason: unknown): void => {
        release();
        onLeave();
        reject(reason);
      };
      const waiter: AbortWaiter = { aborted: leave };
      if (signal !== undefined) this.#signals.add(signal, waiter);
      if (timeout !== undefined) {
        timer = timeout.clock.setTimeout(() => leave(timeout.error()), timeout.ms);
      }
      shared.then(
        (value) => {
          release();
          resolve(value);
        },
        (error) => {
          release();
          reject(error);
        },
      );
    });
  }
}
