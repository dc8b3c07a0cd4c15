export interface BusyPollOptions {
  /** Milliseconds of a monotonic clock. Default `performance.now`. */
  readonly now?: () => number;
  /** Calls back after a turn of the event loop, which does not sleep meanwhile. Default `setImmediate`. */
  readonly afterTurn?: (resume: () => void) => void;
}

/** Turns of a wait that is polled, some 200 to 300 µs: longer than the other side needs to wake up for a small task. */
export const POLL_TURNS = 400;

/** Share of polled waits that must end in time; the latest has the weight `LATEST` in it. */
const WORTH = 0.5;
const LATEST = 0.2;

/** Waits until the next attempt after the first that failed, and after many: it doubles with each. */
const FIRST_PAUSE = 16;
const LONGEST_PAUSE = 256;
/** Polled waits after which an attempt was a good one. */
const PROVEN = 64;

/**
 * Polls for a message that is expected soon: its event loop goes on turning for a moment, because to wake a thread that sleeps
 * takes longer than a small task. If messages come later than that, it stops after a few waits, and makes an attempt again
 * after many. Figures: docs/decisions/0036-polling-for-answers.md.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #afterTurn: (resume: () => void) => void;
  /** Turns of the wait that is being polled; undefined without one. */
  #turns: number | undefined;
  #isTurning = false;
  #since = 0;
  #polledMs = 0;
  /** Waits that are not polled until the next attempt; 0 during one. */
  #pause = 0;
  #nextPause = FIRST_PAUSE;
  /** Share of the attempt's waits that ended in time, on average, and their number. */
  #inTime = 1;
  #polled = 0;

  constructor({ now = () => performance.now(), afterTurn = setImmediate }: BusyPollOptions = {}) {
    this.#now = now;
    this.#afterTurn = afterTurn;
  }

  /** Milliseconds of all waits that were polled: the event loop had nothing to do in them, but did not sleep. */
  get polledMs(): number {
    return this.#polledMs;
  }

  /** True if waits are polled now. */
  get isTrying(): boolean {
    return this.#pause === 0;
  }

  /** Begins another attempt: the other side polls now, too. */
  retry(): void {
    this.#pause = 0;
    this.#inTime = 1;
    this.#polled = 0;
  }

  /** Polls for a message that is expected. Does nothing while it polls. */
  expect(): void {
    if (this.#turns !== undefined) return;
    if (this.#pause > 0) {
      this.#pause -= 1;
      if (this.#pause > 0) return;
      this.retry();
    }
    this.#turns = 0;
    this.#since = this.#now();
    this.#turnLater();
  }

  /** Ends the wait: a message has come. */
  arrived(): void {
    if (this.#turns !== undefined) this.#end(1);
  }

  /** Ends the wait: no message is expected any longer. */
  stop(): void {
    if (this.#turns !== undefined) this.#end(undefined);
  }

  /** @param inTime - 1 if the message came in time, 0 if not; undefined if that is unknown */
  #end(inTime: 0 | 1 | undefined): void {
    this.#turns = undefined;
    this.#polledMs += this.#now() - this.#since;
    if (inTime === undefined) return;
    this.#polled += 1;
    if (this.#polled === PROVEN) this.#nextPause = FIRST_PAUSE;
    this.#inTime += (inTime - this.#inTime) * LATEST;
    if (this.#inTime > WORTH) return;
    this.#pause = this.#nextPause;
    this.#nextPause = Math.min(LONGEST_PAUSE, 2 * this.#nextPause);
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
    if (this.#turns < POLL_TURNS) this.#turnLater();
    else this.#end(0);
  };
}
