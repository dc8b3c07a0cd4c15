/** Those that wait, each for so many milliseconds at most. */
export class Lobby<T> {
  readonly #timers = new Map<T, NodeJS.Timeout>();
  readonly #timeoutMs: number;
  readonly #overdue: (one: T) => void;

  constructor(timeoutMs: number, overdue: (one: T) => void) {
    this.#timeoutMs = timeoutMs;
    this.#overdue = overdue;
  }

  get size(): number {
    return this.#timers.size;
  }

  add(one: T): void {
    const timer = setTimeout(() => {
      this.#timers.delete(one);
      this.#overdue(one);
    }, this.#timeoutMs);
    this.#timers.set(one, timer);
  }

  /** Whether it waited; it does no longer. */
  remove(one: T): boolean {
    clearTimeout(this.#timers.get(one));
    return this.#timers.delete(one);
  }

  /** Empties it. */
  take(): T[] {
    const all = [...this.#timers.keys()];
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    return all;
  }
}
