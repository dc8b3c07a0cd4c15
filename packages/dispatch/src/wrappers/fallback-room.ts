import { aSignal, wrongOption } from '@ticketing/kit';
import { closed } from '../kernel/errors.ts';
import { nextImmediate } from '../soon.ts';

/** The room of a fallback, and callers that wait for it. */
export class FallbackRoom {
  readonly maxInFlight: number;
  inFlight = 0;
  /** The first dispatcher has sent nothing since it last could not: calls will come here. */
  isDown = false;
  readonly #name: string;
  /** Calls made while it was down that have not arrived yet. */
  #coming = 0;
  /** Callers that were let through and have not called yet: they keep their room until the end of this event loop turn. */
  #granted = 0;
  #isClosed = false;
  readonly #waiters = new Set<() => void>();
  readonly #forget = (): void => {
    this.#granted = 0;
    this.wake();
  };

  constructor(maxInFlight: number, name: string) {
    this.maxInFlight = maxInFlight;
    this.#name = name;
  }

  /** A call is made, perhaps by a caller that was let through. @returns what to call when it is known where the call ended */
  coming(): () => void {
    if (this.#granted > 0) this.#granted -= 1;
    if (!this.isDown) return () => {};
    this.#coming += 1;
    return () => {
      this.#coming -= 1;
      this.wake();
    };
  }

  /** Resolves when a call would not meet `maxInFlight`. @throws the signal's reason; DispatchError `ERR_CLOSED` */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    while (!this.#hasRoom) await this.#change(signal);
    if (!this.isDown) return;
    if (this.#granted === 0) nextImmediate(this.#forget);
    this.#granted += 1;
  }

  /** The first dispatcher has sent a call. */
  up(): void {
    if (!this.isDown) return;
    this.isDown = false;
    this.wake();
  }

  /** Lets those look again that wait, in the order in which they came. */
  wake(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  get #hasRoom(): boolean {
    if (this.#isClosed) throw closed(this.#name);
    return !this.isDown || this.inFlight + this.#coming + this.#granted < this.maxInFlight;
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    if (signal !== undefined && !aSignal.test(signal)) {
      throw wrongOption('wait for capacity', 'signal', aSignal, signal);
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiters.delete(wake);
        signal?.removeEventListener('abort', leave);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const leave = (): void => {
        end();
        reject(signal?.reason);
      };
      if (signal?.aborted === true) leave();
      else {
        this.#waiters.add(wake);
        signal?.addEventListener('abort', leave, { once: true });
      }
    });
  }
}
