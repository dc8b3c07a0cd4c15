import { stepsPerMs } from './calibrate.ts';
import { recordsOf, smallRecord } from './payloads.ts';
import type { Case } from './pool-tables.ts';
import { openPools, type PoolKind } from './pools.ts';
import type { SliceOptions } from './slices.ts';

/** Cases in which every kind of pool is measured. */
export interface PoolCases {
  /** Tasks that give back what they got, by its size and the tasks in flight. */
  readonly echoes: readonly Case[];
  /** Tasks that take so much CPU, 8 in flight. */
  readonly burns: readonly Case[];
}

export interface PoolCasesOptions extends Omit<SliceOptions, 'inFlight'> {
  /** Whether they can move buffers, so that this is measured as well. */
  readonly moves: boolean;
}

/** Measures all kinds side by side, with a worker each; the last of the burns with two. */
export async function measurePoolCases(
  kinds: readonly PoolKind[],
  { moves, ...flags }: PoolCasesOptions,
): Promise<PoolCases> {
  const steps = stepsPerMs();
  const echoes: Case[] = [];
  const burns: Case[] = [];

  const one = await openPools(kinds, 1);
  for (const [size, input, inFlights] of [
    ['100 B', smallRecord(), [1, 64]],
    ['10 KB', recordsOf(10_000), [1, 64]],
    ['1 MB', recordsOf(1_000_000), [1, 4]],
  ] as const) {
    for (const inFlight of inFlights) {
      const measured = await one.measure('echo', input, { ...flags, inFlight });
      echoes.push({ title: `${size}, ${inFlight}`, measured });
    }
  }
  if (moves) {
    const measured = await one.measurePassing(1_000_000, { ...flags, inFlight: 16 });
    echoes.push({ title: '1 MB moved, 16', measured });
  }
  for (const ms of [0, 0.2, 1, 5, 20]) {
    const measured = await one.measure('burn', Math.round(ms * steps), { ...flags, inFlight: 8 });
    burns.push({ title: `${ms} ms`, measured });
  }
  await one.close();

  const two = await openPools(kinds, 2);
  const measured = await two.measure('burn', Math.round(5 * steps), { ...flags, inFlight: 8 });
  burns.push({ title: '5 ms, 2 workers', measured });
  await two.close();
  return { echoes, burns };
}
