import { nextImmediate } from '../../soon.ts';
import type { Kernel } from '../kernel.ts';
import { closed } from './call-errors.ts';

interface Waiter {
  readonly key: string | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** Callers that wait until a call would be taken. */
export class CapacityWaiters {
  readonly #kernel: Kernel;
  readonly #waiters = new Set<Waiter>();
  /** Callers that were let through and have not called yet: they keep their room until the end of this event loop turn. */
  #granted = 0;
  readonly #forget = (): void => {
    this.#granted = 0;
    this.wake();
  };

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Resolves when there is room for one more call, with a key or without one. */
  wait(signal: AbortSignal | undefined, key: string | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#kernel.pool.isClosed) return Promise.reject(closed(this.#kernel.options.name));
    if (this.#waiters.size === 0 && this.#hasRoom(key)) {
      this.#grant();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => waiter.reject(signal?.reason);
      const end = (): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', leave);
        this.#kernel.letGoIfIdle();
      };
      const waiter: Waiter = {
        key,
        resolve: () => {
          end();
          resolve();
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', leave, { once: true });
      this.#kernel.hold.set(true);
      // Those before it may wait for the workers of their keys.
      this.wake();
    });
  }

  /** A call was made, perhaps by a caller that was let through. */
  used(): void {
    if (this.#granted > 0) this.#granted -= 1;
  }

  /** Lets through as many callers as there is room for, in the order in which they came. */
  wake(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoom(waiter.key)) {
        if (waiter.key === undefined) return;
        continue;
      }
      this.#grant();
      waiter.resolve();
    }
  }

  close(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  /** Also true for a broken pool: its calls fail at once, and do not meet a full queue. */
  #hasRoom(key: string | undefined): boolean {
    const { pool, feeder } = this.#kernel;
    if (pool.isBroken) return true;
    if (key !== undefined) return feeder.hasRoomFor(key, this.#granted);
    return feeder.room > this.#granted && !feeder.isOverloaded;
  }

  #grant(): void {
    if (this.#granted === 0) nextImmediate(this.#forget);
    this.#granted += 1;
  }
}
