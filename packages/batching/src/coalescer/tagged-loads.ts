import { ForgottenTags } from '../forgotten-tags.ts';
import { readTags } from '../read-tags.ts';

interface TaggedLoad<K> {
  readonly key: K;
}

/**
 * Loads in flight of a coalescer with tags. A load's tags are known when it ends, so tags that are forgotten before that are
 * remembered until no load is in flight.
 */
export class TaggedLoads<K, V> {
  readonly #name: string;
  readonly #tagsOf: (value: V, key: K) => readonly string[];
  readonly #forgotten = new ForgottenTags();
  /** Number of the latest `forgetTag` before a load began. */
  readonly #begun = new WeakMap<TaggedLoad<K>, number>();
  /** Tags of each load whose loader has ended. */
  readonly #tags = new WeakMap<TaggedLoad<K>, readonly string[]>();
  /** Loads that have ended with a tag that was forgotten since they began. */
  readonly #outdated = new WeakSet<TaggedLoad<K>>();

  constructor(name: string, tagsOf: (value: V, key: K) => readonly string[]) {
    this.#name = name;
    this.#tagsOf = tagsOf;
  }

  /** Notes that a load begins. */
  begin(load: TaggedLoad<K>): void {
    this.#begun.set(load, this.#forgotten.last);
  }

  /** Reads the tags of a load's value, which it returns. @throws BatchingError `ERR_WRONG_TAGS`, and what `tags` throws */
  read(load: TaggedLoad<K>, value: V): V {
    this.#tags.set(load, readTags(this.#name, this.#tagsOf, { value, key: load.key }));
    return value;
  }

  tagsOf(load: TaggedLoad<K>): readonly string[] {
    return this.#tags.get(load) ?? [];
  }

  forget(tag: string): void {
    this.#forgotten.forget(tag, this.#forgotten.last + 1);
  }

  /** Returns whether a tag was forgotten after a load in flight began: its value may have that tag. */
  isBehind(load: TaggedLoad<K>): boolean {
    return this.#begunAt(load) < this.#forgotten.last;
  }

  /** Decides whether a load that ends with a value is outdated. Called once, before its callers run. */
  end(load: TaggedLoad<K>): void {
    if (this.#forgotten.isOutdated(this.tagsOf(load), this.#begunAt(load))) {
      this.#outdated.add(load);
    }
  }

  /** Returns whether a tag of a load that has ended was forgotten before its end. */
  isOutdated(load: TaggedLoad<K>): boolean {
    return this.#outdated.has(load);
  }

  /** Drops the forgotten tags. Called when no load is in flight. */
  idle(): void {
    this.#forgotten.clear();
  }

  #begunAt(load: TaggedLoad<K>): number {
    return this.#begun.get(load) ?? 0;
  }
}
