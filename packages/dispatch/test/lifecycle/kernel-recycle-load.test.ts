import { expect, test } from 'vitest';
import type { PoolOptions } from '../../src/contract/pool-options.ts';
import { checkPoolsAfterEach, createPool, type Pool } from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** A pool whose workers are asked for their health each second. */
async function loadedPool(
  recycle: PoolOptions['recycle'],
  options: Pick<PoolOptions, 'min' | 'max' | 'random'> = {},
): Promise<Pool & { check(...shares: (number | undefined)[]): void }> {
  const pool = createPool({ healthMs: 1000, recycle: { jitter: 0, ...recycle }, ...options });
  await pool.ready();
  return {
    ...pool,
    /** One check, before which each worker reports this share of a second, or nothing. */
    check(...shares) {
      for (const [index, share] of shares.entries()) {
        const worker = pool.transport.at(index);
        if (share === undefined) continue;
        const activeMs = share * 1000;
        worker.emit({ kind: 'load', elapsedMs: 1000, activeMs, memoryBytes: undefined });
      }
      pool.clock.advance(1000);
      for (const worker of pool.transport.living)
        if (worker.isReady) worker.emit({ kind: 'healthy' });
    },
  };
}

test('a worker is replaced when three checks in a row find it too busy', async () => {
  const { check, transport, dispatcher, ready } = await loadedPool({ utilisation: 0.9 });
  check(0.95);
  check(0.95);
  check(0.9);
  check(0.95);
  check(0.95);
  expect(transport.workers).toHaveLength(1);
  check(0.91);
  expect(transport.workers).toHaveLength(2);
  await ready();
  expect(dispatcher.stats()).toMatchObject({ recycled: 1, lost: 0 });
});

test('between two checks all that it reports counts, and a check without a report changes nothing', async () => {
  const { check, transport } = await loadedPool({ utilisation: 0.5 });
  const load = { kind: 'load', memoryBytes: undefined } as const;
  for (let count = 0; count < 3; count += 1) {
    transport.at(0).emit({ ...load, elapsedMs: 10, activeMs: 10 });
    transport.at(0).emit({ ...load, elapsedMs: 90, activeMs: 30 });
    check(undefined);
  }
  expect(transport.workers).toHaveLength(1);
  check(0.6);
  check(undefined);
  check(0.6);
  check(undefined);
  expect(transport.workers).toHaveLength(1);
  check(0.6);
  expect(transport.workers).toHaveLength(2);
});

test('of several that are too busy one is replaced at a time', async () => {
  const { check, transport, ready } = await loadedPool({ utilisation: 0.5 }, { min: 2, max: 2 });
  for (let count = 0; count < 3; count += 1) check(1, 1);
  expect(transport.workers).toHaveLength(3);
  check(undefined, 1);
  expect(transport.workers).toHaveLength(3);
  await ready();
  check(undefined, 1);
  expect(transport.workers).toHaveLength(4);
});

test('a worker is replaced by the bytes of its heap, reduced at random', async () => {
  const { check, transport, dispatcher } = await loadedPool(
    { heapBytes: 1000, jitter: 0.2 },
    { random: () => 0.5 },
  );
  const load = { kind: 'load', elapsedMs: 1, activeMs: 1, memoryBytes: 1e9 } as const;
  transport.at(0).emit({ ...load, heapBytes: 899 });
  check(undefined);
  expect(transport.workers).toHaveLength(1);
  transport.at(0).emit({ ...load, heapBytes: 900 });
  // A load without it, as of an older worker, leaves it as it was.
  transport.at(0).emit(load);
  expect(dispatcher.stats().workers).toMatchObject([{ heapBytes: 900 }]);
  check(undefined);
  expect(transport.workers).toHaveLength(2);
});

test('without limits no load is a reason', async () => {
  const { check, transport } = await loadedPool({});
  for (let count = 0; count < 10; count += 1) check(1);
  expect(transport.workers).toHaveLength(1);
});
