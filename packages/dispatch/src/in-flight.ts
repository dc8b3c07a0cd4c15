/** Numbers in a row that have a place of their own; a power of two. */
const PLACES = 256;

interface Numbered {
  /** Grows from each to the next. */
  readonly seq: number;
}

/**
 * Map of sequence number to item, for short-lived items; leaves no garbage behind. A `Map` makes a new table after every few items,
 * and each old table points to the next and to items that are gone: once the collector has moved one to the old generation, it
 * keeps all the later ones until the next full collection. Figures: docs/decisions/0035-small-calls.md.
 */
export class InFlight<T extends Numbered> {
  size = 0;
  /** Items by the remainder of their number. */
  #places: (T | undefined)[] = [];
  /** Items whose place a later one has taken. */
  readonly #older = new Map<number, T>();
  #last = 0;

  /** Adds an item, with a higher number than all before. */
  add(member: T): void {
    const { seq } = member;
    const place = seq & (PLACES - 1);
    while (this.#places.length <= place) this.#places.push(undefined);
    const there = this.#places[place];
    if (there !== undefined) this.#older.set(there.seq, there);
    this.#places[place] = member;
    this.size += 1;
    this.#last = seq;
  }

  get(seq: number): T | undefined {
    const there = this.#places[seq & (PLACES - 1)];
    if (there?.seq === seq) return there;
    return this.#older.size === 0 ? undefined : this.#older.get(seq);
  }

  /** Removes an item. @returns whether it was there */
  delete(seq: number): boolean {
    const place = seq & (PLACES - 1);
    if (this.#places[place]?.seq === seq) this.#places[place] = undefined;
    else if (this.#older.size === 0 || !this.#older.delete(seq)) return false;
    this.size -= 1;
    return true;
  }

  clear(): void {
    this.#places = [];
    this.#older.clear();
    this.size = 0;
  }

  /** First item of the iterator. */
  get oldest(): T | undefined {
    for (const member of this) return member;
    return undefined;
  }

  /** Yields the items in the order of numbers, if none was left out. An item that it has yielded may be removed meanwhile. */
  *[Symbol.iterator](): IterableIterator<T> {
    yield* this.#older.values();
    for (let seq = this.#last + 1; seq <= this.#last + PLACES; seq++) {
      const there = this.#places[seq & (PLACES - 1)];
      if (there !== undefined) yield there;
    }
  }
}
