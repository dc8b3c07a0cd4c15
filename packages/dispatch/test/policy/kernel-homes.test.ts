import { describe, expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, settled, turn, watch } from '../kernel-fixture.ts';

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

describe('a worker that is there for its keys', () => {
  /** Worker 2 owns `a`, and takes calls of its keys only. */
  async function keysOnlyPool() {
    const pool = createPool({ max: 2, window: 2, maxQueue: 3 }, homes({ a: 2 }));
    await pool.ready();
    const [any, owner] = [pool.transport.at(0), pool.transport.at(1)];
    owner.emit({ kind: 'keys-only', on: true });
    return { ...pool, any, owner };
  }

  test('gets no other calls, however many wait', async () => {
    const { run, any, owner, dispatcher } = await keysOnlyPool();
    for (let input = 0; input < 4; input += 1) run(input);
    run('keyed', { key: 'a' });
    await turn();
    expect([any.inputs, owner.inputs]).toEqual([[0, 1], ['keyed']]);
    expect(dispatcher.stats()).toMatchObject({ queued: 2, running: 3 });
    owner.answer(1);
    any.answer(1);
    await turn();
    expect([any.inputs, owner.inputs]).toEqual([[0, 1, 2], ['keyed']]);
  });

  test('gets its keyed calls that wait, once it has room or comes back', async () => {
    const { run, any, owner } = await keysOnlyPool();
    for (const input of [1, 2, 3]) run(input, { key: 'a' });
    run('other');
    await turn();
    expect([any.inputs, owner.inputs]).toEqual([['other'], [1, 2]]);
    owner.busy(2);
    owner.room(2);
    owner.answer(1);
    await turn();
    expect(owner.inputs).toEqual([1, 2, 2, 3]);
  });

  test('gets all calls while no other worker takes any, and until it is set otherwise', async () => {
    const { run, any, owner, transport, clock } = await keysOnlyPool();
    for (const input of [1, 2, 3]) run(input);
    await turn();
    expect(owner.inputs).toEqual([]);
    any.exit({ exitCode: 1 });
    await turn();
    expect(owner.inputs).toEqual([1, 2]);
    clock.advance(200);
    transport.at(2).ready();
    await turn();
    expect(transport.at(2).inputs).toEqual([3]);
    run(4);
    run(5);
    await turn();
    expect(transport.at(2).inputs).toEqual([3, 4]);
    owner.answer(1);
    expect(owner.inputs).toEqual([1, 2]);
    owner.emit({ kind: 'keys-only', on: false });
    await turn();
    expect(owner.inputs).toEqual([1, 2, 5]);
  });

  test('has no room that capacity() counts on', async () => {
    const { run, dispatcher, any } = await keysOnlyPool();
    for (const input of [1, 2, 3, 4, 5]) run(input);
    const room = watch(dispatcher.capacity());
    expect((await settled(room)).state).toBe('pending');
    any.answer(1);
    expect((await settled(room)).state).toBe('resolved');
  });
});
