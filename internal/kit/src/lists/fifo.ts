/** A queue whose operations take constant time (amortised). */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** The item that `shift` returns next. */
  get first(): T | undefined {
    return this.#items[this.#first];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first] = undefined;
    this.#first += 1;
    // `Array.shift` moves all the rest, so half is cut off at a time instead.
    if (this.length === 0 || this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Removes and returns all items. */
  take(): T[] {
    const items = this.#items.slice(this.#first) as T[];
    this.#items = [];
    this.#first = 0;
    return items;
  }
}
