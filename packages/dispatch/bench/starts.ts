import { interleaved, median } from '@ticketing/bench-kit';
import type { PoolKind } from './pools.ts';

/** Cost of a pool before its first call. */
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
  const taken = kinds.map((): Omit<Start, 'name'>[] => []);
  // Of a pool that is closed some (poolifier's) leave nothing that keeps this process alive.
  const hold = setInterval(() => {}, 1000);
  for (const { item, place } of interleaved(kinds, { rounds, warmUps: 0 })) {
    const start = performance.now();
    const pool = await item.create(1);
    const memoryBytes = (await pool.run(memory, null)) as number;
    taken[place]?.push({ startMs: performance.now() - start, memoryBytes });
    await pool.close();
  }
  clearInterval(hold);
  return kinds.map(({ name }, place) => {
    const own = taken[place] ?? [];
    return {
      name,
      startMs: median(own.map(({ startMs }) => startMs)),
      memoryBytes: median(own.map(({ memoryBytes }) => memoryBytes)),
    };
  });
}
