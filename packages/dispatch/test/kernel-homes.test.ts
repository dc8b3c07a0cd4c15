import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from './kernel-fixture.ts';

checkPoolsAfterEach();

/** The owner of each key is the worker that `owners` names, if it takes tasks. */
function homes(owners: Record<string, number>) {
  const asked: [string, readonly number[]][] = [];
  return {
    asked,
    homeOf: (key: string, workerIds: readonly number[]): number | undefined => {
      asked.push([key, workerIds]);
      return workerIds.find((id) => id === owners[key]);
    },
  };
}

test('calls with a key go to the worker that the transport names', async () => {
  const owners = homes({ a: 3, b: 1 });
  const { run, ready, transport } = createPool({ max: 3 }, owners);
  await ready();
  run(1, { key: 'a' });
  run(2, { key: 'b' });
  run(3, { key: 'a' });
  run(4);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[2], [4], [1, 3]]);
  expect(owners.asked[0]).toEqual(['a', [1, 2, 3]]);
});

test('a key without an owner among the workers goes to any', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 1 }, homes({}));
  await ready();
  run(1, { key: 'a' });
  run(2, { key: 'a' });
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[1], [2]]);
});

test('calls that waited before the first worker go to their owners', async () => {
  const { run, transport } = createPool({ max: 2, window: 2 }, homes({ a: 1, b: 2 }));
  run(1, { key: 'b' });
  run(2, { key: 'a' });
  run(3, { key: 'b' });
  transport.at(1).ready();
  await turn();
  // The owner of `a` is not there: any worker runs its calls.
  expect(transport.at(1).inputs).toEqual([1, 2]);
  transport.at(0).ready();
  transport.at(1).answer(1);
  await turn();
  expect(transport.at(1).inputs).toEqual([1, 2, 3]);
  expect(transport.at(0).inputs).toEqual([]);
});

test('waiting calls of an owner that ends go to the next owner', async () => {
  const { run, ready, transport, clock } = createPool(
    { max: 3, window: 1 },
    { homeOf: (_, workerIds) => Math.min(...workerIds) },
  );
  await ready();
  for (const input of [1, 2, 3]) run(input, { key: 'a' });
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[1], [], []]);
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  expect(transport.workers.slice(0, 3).map(({ inputs }) => inputs)).toEqual([[1], [1], []]);
  transport.at(1).answer(1);
  await turn();
  expect(transport.at(1).inputs).toEqual([1, 2]);
  clock.advance(100);
  // The newcomer has the highest number: it is the last of the owners.
  transport.at(3).ready();
  transport.at(1).answer(2);
  await turn();
  expect(transport.at(1).inputs).toEqual([1, 2, 3]);
});

test('waiting calls follow the owner that comes, and leave one that is being replaced', async () => {
  const { run, ready, transport } = createPool(
    { max: 2, window: 1 },
    { homeOf: (_, workerIds) => workerIds.at(-1) },
  );
  transport.at(0).ready();
  for (const input of [1, 2]) run(input, { key: 'a' });
  await turn();
  expect(transport.at(0).inputs).toEqual([1]);
  transport.at(1).ready();
  await turn();
  expect(transport.at(1).inputs).toEqual([2]);
  run(3, { key: 'a' });
  await turn();
  transport.at(1).emit({ kind: 'recycle' });
  await ready();
  expect(transport.at(2).inputs).toEqual([3]);
});

test('waiting calls leave a worker whose slot is removed', async () => {
  const { run, ready, transport, pool } = createPool(
    { max: 2, window: 1 },
    { homeOf: (_, workerIds) => workerIds.at(-1) },
  );
  await ready();
  for (const input of [1, 2]) run(input, { key: 'a' });
  await turn();
  expect(transport.at(1).inputs).toEqual([1]);
  const scaled = pool.scale(1);
  await turn();
  expect(transport.at(0).inputs).toEqual([2]);
  transport.at(1).answer(1);
  transport.at(1).exit({ exitCode: 0 });
  await scaled;
});
