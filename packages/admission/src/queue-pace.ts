/** Weight of the latest interval between two requests that began while others waited. */
const LATEST = 0.05;
/** Works whose durations are kept. */
const WORKS = 64;
/** Requests that arrive within this share of the deadline after the queue was empty are a burst. */
const BURST_SHARE = 1 / 20;

/** Pace of a queue: intervals between two beginnings, durations of works, and since when the queue is not empty. */
export class QueuePace {
  readonly #deadlineMs: number;
  /** The latest, in any order. */
  readonly #works: number[] = [];
  #next = 0;
  #filledAt = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #lastBegun: number | undefined;
  #intervalMs = 0;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** Average milliseconds between two requests that begin while others wait. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** Notes that the queue was empty until now. */
  filled(now: number): void {
    this.#filledAt = now;
  }

  /** Notes that the last one has left the queue without having begun. */
  emptied(): void {
    this.#lastBegun = undefined;
  }

  /** Notes that one was taken from the queue, in which others may be left. */
  taken(now: number, left: number): void {
    if (this.#lastBegun !== undefined) {
      this.#intervalMs += (now - this.#lastBegun - this.#intervalMs) * LATEST;
    }
    this.#lastBegun = left > 0 ? now : undefined;
  }

  /** Notes the duration of a work that is over. */
  worked(ms: number): void {
    this.#works[this.#next] = ms;
    this.#next = (this.#next + 1) % WORKS;
  }

  /** Notes that one was refused: more has come than fits. */
  refused(now: number): void {
    this.#refusedAt = now;
  }

  /** Returns whether the queue may end by itself: it was empty within the last deadline, and nothing was refused since then. */
  isNew(now: number): boolean {
    return now - this.#filledAt < this.#deadlineMs && now - this.#refusedAt >= this.#deadlineMs;
  }

  /**
   * Returns whether a request belongs to a burst, which ends, and not to an overload, which stays: it arrived together with the
   * first of a new queue.
   */
  isBurst(arrivedAt: number, now: number): boolean {
    return arrivedAt - this.#filledAt < this.#deadlineMs * BURST_SHARE && this.isNew(now);
  }

  /**
   * Returns the wait that leaves a request time for its work, by the 95th percentile of the latest works; 0 before the first. It
   * sorts them, which takes longer than all else that is done for a request: only for one that has waited long.
   */
  burstWaitMs(): number {
    if (this.#works.length === 0) return 0;
    const sorted = this.#works.toSorted((one, other) => one - other);
    return this.#deadlineMs - (sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0);
  }
}
