/** Most tags whose time is remembered. Above it the oldest raises the floor, before which every load is outdated. */
const MAX_FORGOTTEN = 10_000;

/**
 * Times at which tags were last forgotten, bounded. A result whose load began before one of its tags was forgotten is outdated.
 * The times are numbers that only grow.
 */
export class ForgottenTags {
  readonly #times = new Map<string, number>();
  #last: number;
  /** Every load from before this time is outdated, whatever its tags: what was forgotten then is no longer known. */
  #floor: number;

  constructor(start = 0) {
    this.#last = start;
    this.#floor = start;
  }

  /** The latest time that is known. */
  get last(): number {
    return this.#last;
  }

  /** Loads from before this time are outdated, whatever their tags. */
  get floor(): number {
    return this.#floor;
  }

  /** Tags whose time is known. */
  get size(): number {
    return this.#times.size;
  }

  /** Notes that a tag was forgotten. Earlier times than a known one change nothing. */
  forget(tag: string, time: number): void {
    this.#last = Math.max(this.#last, time);
    if (time <= (this.#times.get(tag) ?? this.#floor)) return;
    this.#times.delete(tag);
    this.#times.set(tag, time);
    if (this.#times.size <= MAX_FORGOTTEN) return;
    const [oldest, oldTime] = this.#times.entries().next().value as [string, number];
    this.#times.delete(oldest);
    this.raise(oldTime);
  }

  /** Makes every load outdated that began before this time. */
  raise(floor: number): void {
    this.#floor = Math.max(this.#floor, floor);
    this.#last = Math.max(this.#last, floor);
  }

  /** Drops what only loads from before now could ask for. */
  clear(): void {
    this.#times.clear();
    this.#floor = this.#last;
  }

  /** Returns whether a result with these tags is outdated, if its load began when `since` was the latest time. */
  isOutdated(tags: readonly string[], since: number): boolean {
    return since < this.#floor || tags.some((tag) => (this.#times.get(tag) ?? 0) > since);
  }

  /** Lists what was forgotten after a time. */
  after(time: number): [tag: string, time: number][] {
    return [...this.#times].filter(([, each]) => each > time);
  }
}
