import type { Kernel } from '../kernel.ts';
import { closed } from './call-errors.ts';

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** Callers that wait until a call would be taken. */
export class CapacityWaiters {
  readonly #kernel: Kernel;
  readonly #waiters = new Set<Waiter>();
  /** Went on, and have not called yet: the room is theirs until the end of this turn of the event loop. */
  #granted = 0;
  readonly #forget = (): void => {
    this.#granted = 0;
    this.wake();
  };

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  wait(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#kernel.pool.isClosed) return Promise.reject(closed(this.#kernel.options.name));
    if (this.#waiters.size === 0 && this.#hasRoom) {
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
    });
  }

  /** A call was made, perhaps by one that went on. */
  used(): void {
    if (this.#granted > 0) this.#granted -= 1;
  }

  /** There may be room. As many go on as there is room for, in the order in which they came. */
  wake(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoom) return;
      this.#grant();
      waiter.resolve();
    }
  }

  close(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }

  /** A call that is refused for another reason does not meet a full queue. */
  get #hasRoom(): boolean {
    const { pool, feeder, admission } = this.#kernel;
    return pool.isBroken || (feeder.room > this.#granted && !admission.isOverloaded);
  }

  #grant(): void {
    if (this.#granted === 0) setImmediate(this.#forget);
    this.#granted += 1;
  }
}
