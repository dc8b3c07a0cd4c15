export interface BusyPollOptions {
  /** Milliseconds of a monotonic clock. Default `performance.now`. */
  readonly now?: () => number;
  /** Calls back after a turn of the event loop, which does not sleep meanwhile. Default `setImmediate`. */
  readonly afterTurn?: (resume: () => void) => void;
}

/**
 * Turns of a wait that is polled, some 200 to 300 µs: longer than the other side needs to wake up for a small task. With fewer,
 * neither side would find out that it is worth it, as long as the other sleeps.
 */
export const POLL_TURNS = 400;

/** After this many misses in a row, or more, one of 64 waits is polled. */
const MOST_MISSES = 6;

/**
 * Polls for a message that is expected soon: its event loop goes on turning for a moment, since to wake a thread that sleeps
 * takes longer than a small task. Where messages come later than that, few waits are polled: after n misses in a row one of
 * 2^n. Figures: docs/decisions/0036-polling-for-answers.md.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #afterTurn: (resume: () => void) => void;
  /** Turns of the wait that is being polled; undefined if none is. */
  #turns: number | undefined;
  #isTurning = false;
  #since = 0;
  #polledMs = 0;
  #waits = 0;
  #misses = 0;

  constructor({ now = () => performance.now(), afterTurn = setImmediate }: BusyPollOptions = {}) {
    this.#now = now;
    this.#afterTurn = afterTurn;
  }

  /** Milliseconds of all waits that were polled: the event loop had nothing to do in them, but did not sleep. */
  get polledMs(): number {
    return this.#polledMs;
  }

  /** A message is expected. Does nothing while one is polled for. */
  expect(): void {
    if (this.#turns !== undefined) return;
    this.#waits = (this.#waits + 1) & ((1 << this.#misses) - 1);
    if (this.#waits !== 0) return;
    this.#turns = 0;
    this.#since = this.#now();
    this.#turnLater();
  }

  /** A message has come. */
  arrived(): void {
    if (this.#turns === undefined) return;
    this.#misses = 0;
    this.#end();
  }

  /** No message is expected any longer. */
  stop(): void {
    if (this.#turns !== undefined) this.#end();
  }

  #end(): void {
    this.#turns = undefined;
    this.#polledMs += this.#now() - this.#since;
  }

  #turnLater(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    this.#afterTurn(this.#turned);
  }

  readonly #turned = (): void => {
    this.#isTurning = false;
    if (this.#turns === undefined) return;
    this.#turns += 1;
    if (this.#turns < POLL_TURNS) {
      this.#turnLater();
      return;
    }
    this.#misses = Math.min(MOST_MISSES, this.#misses + 1);
    this.#end();
  };
}
