import { closedError } from '@ticketing/dispatch';
import { aSignal, wrongOption } from '@ticketing/kit';

/** The platform's own `setImmediate`: fake timers of a test must not stop calls that need no time. */
export const nextImmediate: typeof setImmediate = setImmediate;

/** Room of a fallback, and callers that wait for it. */
export class FallbackRoom {
  readonly maxInFlight: number;
  #inFlight = 0;
  readonly #onEmpty: (() => void)[] = [];
  /** True if the first dispatcher has sent nothing since it last could not: calls will come here. */
  #isDown = false;
  readonly #name: string;
  /** Number of calls made while the first dispatcher was down that have not arrived yet. */
  #coming = 0;
  /** Callers that were let through and have not called yet: they keep their room until the end of this event loop turn. */
  #granted = 0;
  #isClosed = false;
  readonly #waiters = new Set<() => void>();
  readonly #forget = (): void => {
    this.#granted = 0;
    this.#wake();
  };

  constructor(maxInFlight: number, name: string) {
    this.maxInFlight = maxInFlight;
    this.#name = name;
  }

  /** Notes a call, perhaps of a caller that was let through. @returns a function to call once it is known where the call ended */
  coming(): () => void {
    if (this.#granted > 0) this.#granted -= 1;
    if (!this.#isDown) return () => {};
    this.#coming += 1;
    return () => {
      this.#coming -= 1;
      this.#wake();
    };
  }

  /** Resolves when a call would not meet `maxInFlight`. @throws the signal's reason; DispatchError `ERR_CLOSED` */
  async wait(signal: AbortSignal | undefined): Promise<void> {
    while (!this.#hasRoom) await this.#change(signal);
    if (!this.#isDown) return;
    if (this.#granted === 0) nextImmediate(this.#forget);
    this.#granted += 1;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes room for a call that the first dispatcher could not send. @returns whether there was any */
  take(): boolean {
    this.#isDown = true;
    if (this.#inFlight >= this.maxInFlight) return false;
    this.#inFlight += 1;
    return true;
  }

  /** Frees what a call has taken. */
  free(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
    this.#wake();
  }

  /** Resolves when no call has room here. */
  async whenEmpty(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  /** Notes that the first dispatcher has sent a call. */
  up(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#wake();
  }

  /** Lets waiting callers look again, in the order in which they came. */
  #wake(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  get #hasRoom(): boolean {
    if (this.#isClosed) throw closedError(this.#name);
    return !this.#isDown || this.#inFlight + this.#coming + this.#granted < this.maxInFlight;
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
