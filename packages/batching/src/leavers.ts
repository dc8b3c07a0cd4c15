import type { Clock } from '@ticketing/kit';

/** How one caller can leave a promise that others wait for, too. */
export interface LeaveOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?:
    | { readonly ms: number; readonly clock: Clock; readonly error: () => Error }
    | undefined;
  /** Called once, if the caller leaves before the promise has settled. */
  readonly onLeave: () => void;
}

/** Rejects one call with a reason. */
type Leave = (reason: unknown) => void;

/**
 * Calls that leave when their signal aborts or their time is up. One listener per signal, however many calls it
 * has: a signal compares each listener that is added with all it has, which is quadratic in the calls, and Node
 * warns at the eleventh. Leaves no listener and no timer behind.
 */
export class Leavers {
  readonly #signals = new Map<AbortSignal, { readonly calls: Set<Leave>; release(): void }>();

  /** A promise of one caller's own: settles as the shared one, or rejects when the caller leaves. */
  wait<V>(shared: Promise<V>, { signal, timeout, onLeave }: LeaveOptions): Promise<V> {
    return new Promise((resolve, reject) => {
      let timer: unknown;
      const release = (): void => {
        if (signal !== undefined) this.#remove(signal, leave);
        if (timer !== undefined) timeout?.clock.clearTimeout(timer);
      };
      const leave = (reason: unknown): void => {
        release();
        onLeave();
        reject(reason);
      };
      if (signal !== undefined) this.#add(signal, leave);
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

  #add(signal: AbortSignal, leave: Leave): void {
    const known = this.#signals.get(signal);
    if (known !== undefined) {
      known.calls.add(leave);
      return;
    }
    const calls = new Set([leave]);
    const onAbort = (): void => {
      for (const each of calls) each(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const release = (): void => signal.removeEventListener('abort', onAbort);
    this.#signals.set(signal, { calls, release });
  }

  /** The last call of a signal takes the listener away. */
  #remove(signal: AbortSignal, leave: Leave): void {
    const known = this.#signals.get(signal);
    if (known?.calls.delete(leave) && known.calls.size === 0) {
      this.#signals.delete(signal);
      known.release();
    }
  }
}
