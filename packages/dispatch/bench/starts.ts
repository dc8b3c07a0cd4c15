import type { PoolKind } from './pools.ts';
import { median } from './slices.ts';

/** What a pool costs before it does anything. */
export interface Start {
  readonly name: string;
  /** Milliseconds from the call that creates a pool of one worker to its first answer. */
  readonly startMs: number;
  /** Bytes that the worker holds after it. */
  readonly memoryBytes: number;
}

/** Starts and ends a pool of each kind in interleaved rounds. */
export async function measureStarts(
  kinds: readonly PoolKind[],
  { rounds, memory }: { readonly rounds: number; readonly memory: 'residentBytes' | 'heapBytes' },
): Promise<Start[]> {
  const taken = new Map(kinds.map(({ name }) => [name, [] as Omit<Start, 'name'>[]]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, create } of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const start = performance.now();
      const pool = await create(1);
      const memoryBytes = (await pool.run(memory, null)) as number;
      taken.get(name)?.push({ startMs: performance.now() - start, memoryBytes });
      await pool.close();
    }
  }
  return [...taken].map(([name, starts]) => ({
    name,
    startMs: median(starts.map(({ startMs }) => startMs)),
    memoryBytes: median(starts.map((start) => start.memoryBytes)),
  }));
}
