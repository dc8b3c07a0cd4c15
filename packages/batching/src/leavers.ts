import { type AbortWaiter, createSignalListeners } from '@ticketing/kit';

/** Options of one caller that may leave a promise for which others wait, too. */
export interface LeaveOptions {
  readonly signal: AbortSignal;
  /** Called once, if the caller leaves before the promise has settled. */
  readonly onLeave: () => void;
}

/** Calls that leave when their signal aborts. Leaves no listener behind. */
export class Leavers {
  readonly #signals = createSignalListeners();

  /** A promise of one caller's own: settles as the shared one, or rejects when the caller leaves. */
  wait<V>(shared: Promise<V>, { signal, onLeave }: LeaveOptions): Promise<V> {
    return new Promise((resolve, reject) => {
      const waiter: AbortWaiter = {
        aborted(reason) {
          onLeave();
          reject(reason);
        },
      };
      this.#signals.add(signal, waiter);
      const release = (): void => this.#signals.remove(signal, waiter);
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
