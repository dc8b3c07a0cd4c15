/** A map that holds what fits below a limit. */
export interface BoundedMap<V> {
  get(key: string): V | undefined;
  /** Adds an entry, and drops the oldest ones until the others fit. */
  add(key: string, value: V): void;
}

/** Creates a map whose values weigh at most `limit` together. Default weight: 1 each. */
export function createBoundedMap<V>(
  limit: number,
  weigh: (value: V) => number = () => 1,
): BoundedMap<V> {
  const entries = new Map<string, V>();
  let weight = 0;
  const drop = (key: string): void => {
    const value = entries.get(key);
    if (value === undefined) return;
    weight -= weigh(value);
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key),
    add(key, value) {
      drop(key);
      entries.set(key, value);
      weight += weigh(value);
      for (const oldest of entries.keys()) {
        if (weight <= limit) break;
        drop(oldest);
      }
    },
  };
}

/**
 * Returns the same function of a list, which works once for each list: as long as the list is kept, so is what was made of it.
 * The lists must not change.
 */
export function keptByList<Item, V>(
  make: (list: readonly Item[]) => V,
): (list: readonly Item[]) => V {
  const made = new WeakMap<readonly Item[], V>();
  return (list) => {
    const kept = made.get(list);
    if (kept !== undefined) return kept;
    const value = make(list);
    made.set(list, value);
    return value;
  };
}
