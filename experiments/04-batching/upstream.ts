import type { Cell } from '../src/rounds/measure-rounds.ts';

/** Adds to each sample of a cell how much a counter grew for each answered request: `upstream`. */
export function counting(cell: Cell, counter: () => Promise<number>): Cell {
  return {
    ...cell,
    async measure(sliceMs) {
      const before = await counter();
      const sample = await cell.measure(sliceMs);
      const grown = (await counter()) - before;
      return { ...sample, upstream: grown / Math.max(1, sample['answered'] ?? 0) };
    },
  };
}

interface Stats {
  readonly processes: readonly { readonly worms?: { readonly queries?: number } }[];
}

/** Queries that all processes of a demo have made. */
export async function queriesAt(url: string): Promise<number> {
  const { processes } = (await (await fetch(`${url}/stats`)).json()) as Stats;
  return processes.reduce((sum, { worms }) => sum + (worms?.queries ?? 0), 0);
}
