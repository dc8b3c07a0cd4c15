import { getOrAdd } from './get-or-add.ts';

/** Returns values by their keys, both in the order of the list. */
export function groupBy<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) getOrAdd(groups, keyOf(value), (): T[] => []).push(value);
  return groups;
}
