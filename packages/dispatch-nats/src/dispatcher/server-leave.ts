import type { Clock } from '@ticketing/kit';

/** Milliseconds for calls under way when a server of NATS is about to stop. */
const LEAVE_MS = 1000;
/** Milliseconds between two checks whether these calls have ended. */
const LOOK_MS = 50;

/** Options of the leave: a clock, and the state and the connection of the dispatcher. */
export interface ServerLeaveOptions {
  readonly clock: Clock;
  /** Returns true if no call is under way. */
  isIdle(): boolean;
  /** Leaves the server. */
  reconnect(): void;
}

/** Leaves a server that is about to stop as soon as no call is under way, at the latest after a second. */
export class ServerLeave {
  readonly #options: ServerLeaveOptions;
  #since: number | undefined;
  #timer: unknown;

  constructor(options: ServerLeaveOptions) {
    this.#options = options;
  }

  /** True from the server's request to leave until the connection is gone. */
  get isUnderWay(): boolean {
    return this.#since !== undefined;
  }

  begin(): void {
    this.#since ??= this.#options.clock.now();
    this.#look(this.#since);
  }

  /** Ends the leave: the connection is gone, or the dispatcher is closed. */
  end(): void {
    this.#since = undefined;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #look(since: number): void {
    const { clock, isIdle, reconnect } = this.#options;
    if (isIdle() || clock.now() - since >= LEAVE_MS) reconnect();
    // It has ended if the connection broke at once.
    if (this.#since === since) this.#timer = clock.setTimeout(() => this.#look(since), LOOK_MS);
  }
}
