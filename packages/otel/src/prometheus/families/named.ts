import type { Point } from '../family.ts';

/** Statistics of something that has a name. */
export interface Named {
  readonly name: string;
}

/** Returns a function that reads one count of named statistics as a point. */
export function pointOf<Key extends string>(
  key: Key,
): (stats: Named & Readonly<Record<Key, number>>) => Point {
  return (stats) => ({ labels: { name: stats.name }, value: stats[key] });
}
