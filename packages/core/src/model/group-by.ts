import { getOrAdd } from './get-or-add.ts';

/** Returns values by their keys, both in the order of the list. */
export function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) getOrAdd(groups, keyOf(value), (): T[] => []).push(value);
  return groups;
}
