import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn, watch } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('a lent dispatcher runs its calls on the same workers', async () => {
  const { pool, transport, ready, dispatcher } = createPool();
  const lent = pool.lend();
  expect(lent).toMatchObject({ kind: 'fake', state: 'starting' });
  await ready();
  await lent.ready();
  const call = watch(lent.run('echo', 1));
  await turn();
  transport.at(0).answer(1, 'one');
  await turn();
  expect(call.value).toBe('one');
  expect(lent.stats()).toEqual(dispatcher.stats());
});

test('close() rejects its own calls, and leaves others and the workers', async () => {
  const { pool, transport, ready, dispatcher, run } = createPool({ window: 1, maxQueue: 2 });
  const [lent, other] = [pool.lend(), pool.lend()];
  await ready();
  const mine = watch(lent.run('echo', 0));
  const theirs = [watch(other.run('echo', 1)), run(2)];
  const waits = watch(lent.capacity());
  await turn();
  transport.at(0).start();
  await lent.close();
  await lent.close();
  await turn();
  for (const { error } of [mine, waits]) expect(error).toMatchObject({ code: 'ERR_CLOSED' });
  expect(transport.at(0).aborts).toMatchObject([{ seq: 1 }]);
  transport.at(0).fail(1, 'aborted');
  for (const seq of [2, 3]) {
    await turn();
    transport.at(0).answer(seq);
  }
  await turn();
  expect(theirs.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
  expect([lent.state, other.state, dispatcher.state]).toEqual(['closed', 'ready', 'ready']);
  for (const after of [lent.run('echo', 3), lent.ready(), lent.capacity(), lent.reload()]) {
    await expect(after).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  }
});

test('drain() waits for its own calls and reports them, while others go on', async () => {
  const { pool, transport, ready, dispatcher, run } = createPool({ window: 4 });
  const lent = pool.lend();
  await ready();
  const calls = [0, 1, 2].map((input) => watch(lent.run('echo', input)));
  const other = run(3);
  const drained = watch(lent.drain());
  expect(lent.state).toBe('draining');
  await expect(lent.run('echo', 4)).rejects.toMatchObject({ code: 'ERR_DRAINING' });
  await turn();
  transport.at(0).answer(1);
  transport.at(0).fail(2, 'bad');
  transport.at(0).exit();
  transport.at(1).ready();
  await turn();
  expect(drained.state).toBe('pending');
  for (const { seq } of transport.at(1).open) transport.at(1).answer(seq);
  await turn();
  expect(drained.value).toEqual({ completed: 3, aborted: 0 });
  expect([...calls, other].map(({ state }) => state)).toEqual([
    'resolved',
    'rejected',
    'resolved',
    'resolved',
  ]);
  expect(dispatcher.state).toBe('ready');
});

test('drain() aborts only the calls that are left after its time', async () => {
  const { pool, transport, ready, clock, run } = createPool();
  const lent = pool.lend();
  await ready();
  const call = watch(lent.run('echo', 0));
  const other = run(1);
  await turn();
  const drained = watch(lent.drain({ timeoutMs: 100 }));
  clock.advance(100);
  await turn();
  expect(call.error).toMatchObject({ code: 'ERR_DRAINING' });
  expect(drained.value).toEqual({ completed: 0, aborted: 1 });
  transport.at(0).drop(1);
  transport.at(0).answer(2);
  await turn();
  expect(other.state).toBe('resolved');
});

test('map() of a lent dispatcher is its own call', async () => {
  const { pool, transport, ready } = createPool();
  const lent = pool.lend();
  await ready();
  const outcomes = lent.map('echo', [0, 1, 2])[Symbol.asyncIterator]();
  const first = watch(outcomes.next());
  await turn();
  expect(transport.at(0).inputs).toEqual([0, 1]);
  await lent.close();
  await turn();
  expect(first.value).toMatchObject({
    value: { status: 'rejected', reason: { code: 'ERR_CLOSED' } },
  });
  for (const { seq } of transport.at(0).open) transport.at(0).drop(seq);
  await outcomes.return?.();
});

test('a lent dispatcher is closed with the pool, and checks its options', async () => {
  const { pool, transport, ready, dispatcher } = createPool();
  const lent = pool.lend();
  await ready();
  await expect(lent.drain({ timeoutMs: 0 })).rejects.toThrow(RangeError);
  await expect(lent.close({ graceMs: -1 })).rejects.toThrow(RangeError);
  await expect(lent.capacity(5 as never)).rejects.toThrow(TypeError);
  expect(lent.state).toBe('ready');
  const call = watch(lent.run('echo', 0));
  const closed = dispatcher.close();
  transport.at(0).exit();
  await closed;
  expect(call.error).toMatchObject({ code: 'ERR_CLOSED' });
  expect(lent.state).toBe('closed');
  await expect(lent.run('echo', 0)).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});
