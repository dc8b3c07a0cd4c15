import { withoutTime } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { DataLoader } from '../src/dataloader/index.ts';
import { createBatcher, createCoalescer } from '../src/index.ts';
import { createMemoryCoordinator, shareLoads } from '../src/shared/index.ts';

const load = async (keys: readonly number[]): Promise<number[]> => [...keys];
const name = 'test';

test.each<[string, () => Promise<unknown>]>([
  ['a batcher', () => createBatcher(load, { name }).load(1)],
  ['a batcher of full batches', () => createBatcher(load, { name, maxBatchSize: 1 }).load(1)],
  ['a batcher by microtasks', () => createBatcher(load, { name, schedule: 'microtask' }).load(1)],
  ['a DataLoader', () => new DataLoader(load).load(1)],
  ['a coalescer', () => createCoalescer(async (key: number) => key, { name }).get(1)],
  [
    'a shared load',
    () => {
      const options = { name, coordinator: createMemoryCoordinator() };
      return createCoalescer(
        shareLoads(async (key: number) => key, options),
        { name },
      ).get(1);
    },
  ],
])('%s needs no time: it answers under fake timers', async (_label, answer) => {
  expect(await withoutTime(answer)).toBe(1);
});
