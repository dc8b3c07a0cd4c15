/** A map that holds a limited number of entries. */
export interface BoundedMap<V> {
  get(key: string): V | undefined;
  /** Adds an entry; the oldest goes when there are too many. */
  add(key: string, value: V): void;
}

/** Creates a {@link BoundedMap} of at most `limit` entries. */
export function createBoundedMap<V>(limit: number): BoundedMap<V> {
  const entries = new Map<string, V>();
  return {
    get: (key) => entries.get(key),
    add(key, value) {
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
  };
}
