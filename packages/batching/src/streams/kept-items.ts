/** One item, and the way to the next. A reader holds the last one that it has read. */
export interface KeptItem<T> {
  /** `undefined` before the first item, and once it is displaced. */
  value: T | undefined;
  /** Items of the stream up to here, this one included. */
  readonly items: number;
  /** Bytes of the stream up to here, this one included. */
  readonly bytes: number;
  next: KeptItem<T> | undefined;
}

/** Bounds of what is kept of a stream. */
export interface ItemBounds {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/**
 * The items of a stream for readers at different places, within bounds: a new one displaces the oldest. An item that the
 * fastest reader has not read is never displaced.
 */
export class KeptItems<T> {
  readonly #bounds: ItemBounds;
  /** The one before the first that is kept. */
  #oldest: KeptItem<T> = { value: undefined, items: 0, bytes: 0, next: undefined };
  #newest: KeptItem<T> = this.#oldest;
  /** The furthest that a reader has got. */
  #front: KeptItem<T> = this.#oldest;

  constructor(bounds: ItemBounds) {
    this.#bounds = bounds;
  }

  /** Items that came. */
  get count(): number {
    return this.#newest.items;
  }

  /** True once an item was displaced: no further reader can have them all. */
  get isOutgrown(): boolean {
    return this.#oldest.items > 0;
  }

  /** True while half of a bound is kept for the fastest reader. With more, readers of one pace would displace each other's items. */
  get isAhead(): boolean {
    const { maxItems, maxBytes } = this.#bounds;
    const [newest, front] = [this.#newest, this.#front];
    return newest.items - front.items >= maxItems / 2 || newest.bytes - front.bytes >= maxBytes / 2;
  }

  /** Returns the place of a new reader. */
  start(): KeptItem<T> {
    return this.#oldest;
  }

  push(value: T, bytes: number): void {
    const { items, bytes: before } = this.#newest;
    const item: KeptItem<T> = { value, items: items + 1, bytes: before + bytes, next: undefined };
    const { maxItems, maxBytes } = this.#bounds;
    // Without the newest: one item above `maxBytes` would displace all others for nothing.
    while (
      this.#oldest.items < this.#front.items &&
      (item.items - this.#oldest.items > maxItems || before - this.#oldest.bytes > maxBytes)
    ) {
      this.#displace();
    }
    this.#newest.next = item;
    this.#newest = item;
  }

  /** Returns the item after one, and notes that a reader has got there; `undefined` if it has not come. */
  readAfter(item: KeptItem<T>): KeptItem<T> | undefined {
    const { next } = item;
    if (next !== undefined && next.items > this.#front.items) this.#front = next;
    return next;
  }

  /** Returns whether the item after this one is displaced. */
  isBehind(item: KeptItem<T>): boolean {
    return item.items < this.#oldest.items;
  }

  /** Cuts the chain, so that a reader that has stopped holds no more than its own place. */
  #displace(): void {
    const oldest = this.#oldest;
    this.#oldest = oldest.next as KeptItem<T>;
    oldest.next = undefined;
    this.#oldest.value = undefined;
  }
}
