import type { KeyValue } from '../canonical-key.ts';

/** Keys of kept results by tag. It has an entry for each tag of each result, so the bounds of results and tags bound it. */
export class TagIndex {
  readonly #keys = new Map<string, Set<KeyValue>>();
  #entries = 0;

  /** Different tags. */
  get tags(): number {
    return this.#keys.size;
  }

  /** Tags of results, counted for each result. */
  get entries(): number {
    return this.#entries;
  }

  keysOf(tag: string): Iterable<KeyValue> {
    return this.#keys.get(tag) ?? [];
  }

  /** Adds a key that the index does not have. */
  add(key: KeyValue, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keys.get(tag);
      if (keys === undefined) this.#keys.set(tag, new Set([key]));
      else keys.add(key);
    }
    this.#entries += tags.length;
  }

  /** Removes a key, with the tags by which it was added. */
  remove(key: KeyValue, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keys.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(tag);
    }
    this.#entries -= tags.length;
  }

  clear(): void {
    this.#keys.clear();
    this.#entries = 0;
  }
}
