/** Weight of the latest interval between two requests that began while others waited. */
const LATEST = 0.05;
/** Works whose durations are kept. */
const WORKS = 64;
/** Share of the deadline in which a burst is to be answered: the rest is for work that takes longer than usual. */
const BURST_SHARE = 0.85;

/** Pace of a queue: intervals between two beginnings, durations of works, and since when the queue is not empty. */
export class QueuePace {
  readonly #deadlineMs: number;
  /** The latest, in any order. */
  readonly #works: number[] = [];
  #next = 0;
  #workMs: number | undefined;
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
    this.#workMs = undefined;
  }

  /** Notes that one was refused: more has come than fits. */
  refused(now: number): void {
    this.#refusedAt = now;
  }

  /**
   * Whether a queue may be a burst, which ends, and not an overload, which may stay: it was empty within the last deadline, and
   * nothing was refused since then.
   */
  isBurst(now: number): boolean {
    return now - this.#filledAt < this.#deadlineMs && now - this.#refusedAt >= this.#deadlineMs;
  }

  /**
   * Returns the longest wait of a request that has time for its work: this share of the deadline. In a burst it is all that the work
   * leaves of the deadline, by the 95th percentile: a queue that ends costs only time, one that stays costs time and gains nothing.
   */
  longestWaitMs(share: number, isBurst: boolean): number {
    const usualMs = this.#deadlineMs * share;
    if (this.#works.length === 0 || !isBurst) return usualMs;
    this.#workMs ??= percentile95(this.#works);
    return Math.max(usualMs, this.#deadlineMs * BURST_SHARE - this.#workMs);
  }
}

function percentile95(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
}
