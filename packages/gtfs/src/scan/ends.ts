import type { ChangeTable } from '../feed/feed.ts';

/** Node at which journeys begin or end, and the seconds on foot between it and the station that was asked for. */
export interface End {
  readonly node: number;
  readonly seconds: number;
  /** False at the station itself. A way may take no time. */
  readonly isOnFoot: boolean;
}

/** Returns where journeys from some nodes begin: there, or at the end of a way from them. */
export function beginnings(changes: ChangeTable, nodes: readonly number[]): readonly End[] {
  return endsOf(nodes, (visit) => {
    for (const node of nodes) {
      for (let at = changes.first[node] as number; at < (changes.first[node + 1] as number); at++) {
        visit(changes.to[at] as number, changes.seconds[at] as number);
      }
    }
  });
}

/** Returns where journeys to some nodes end: there, or at the beginning of a way to them. */
export function endings(changes: ChangeTable, nodes: readonly number[]): readonly End[] {
  const isWanted = new Set(nodes);
  return endsOf(nodes, (visit) => {
    for (let node = 0; node < changes.nodeCount; node++) {
      for (let at = changes.first[node] as number; at < (changes.first[node + 1] as number); at++) {
        if (isWanted.has(changes.to[at] as number)) visit(node, changes.seconds[at] as number);
      }
    }
  });
}

function endsOf(
  nodes: readonly number[],
  walks: (visit: (node: number, seconds: number) => void) => void,
): readonly End[] {
  const own = new Set(nodes);
  const found = new Map<number, number>();
  walks((node, seconds) => found.set(node, Math.min(seconds, found.get(node) ?? seconds)));
  // A change within the station is no way.
  for (const node of nodes) found.set(node, 0);
  return [...found].map(([node, seconds]) => ({ node, seconds, isOnFoot: !own.has(node) }));
}
