import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import type { PoolOptions } from '../../src/contract/pool-options.ts';
import type { FakeTransportOptions } from '../fake-transport.ts';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  keysOf,
  type Pool,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** A pool that has answered one task of 100 ms for each worker, which are idle now. */
async function seasoned(
  options: Omit<PoolOptions, 'clock'> = {},
  transportOptions?: FakeTransportOptions,
): Promise<Pool> {
  const pool = createPool({ window: 1, ...options }, transportOptions);
  await pool.ready();
  for (const worker of pool.transport.workers) {
    pool.run('first');
    await turn();
    worker.answer(1, 'answer', 100);
  }
  return pool;
}

/** Answers the oldest call of each worker every so often, so many times. */
async function work({ transport, clock }: Pool, everyMs: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await turn();
    clock.advance(everyMs);
    for (const worker of transport.living) {
      const seq = worker.open[0]?.seq;
      if (seq !== undefined) worker.answer(seq, 'answer', everyMs);
    }
  }
}

test('a call that would wait for longer than its timeoutMs is refused at once, and never sent', async () => {
  const { run, transport, dispatcher } = await seasoned();
  for (let index = 0; index < 6; index++) run(index);
  await turn();
  // Five wait: 500 ms, and 100 ms of its own.
  expect(dispatcher.stats()).toMatchObject({ queued: 5, expectedWaitMs: 500 });
  const error = errorOf(await settled(run('late', { timeoutMs: 550 })), 'ERR_OVERLOADED');
  expect(error.message).toBe(
    'Task `echo` would wait some 500 ms, too long for `timeoutMs` (550 ms): retry after 50 ms, or raise `max`',
  );
  const data = { name: 'fake', task: 'echo', limit: 550, expectedWaitMs: 500, retryAfterMs: 50 };
  expect(error.data).toEqual(data);
  const taken = run('in time', { timeoutMs: 600 });
  await turn();
  expect(taken.state).toBe('pending');
  expect(dispatcher.stats()).toMatchObject({ queued: 6, rejected: 1, refused: 1 });
  for (let seq = 2; seq <= 8; seq++) transport.at(0).answer(seq);
  expect(transport.at(0).inputs).not.toContain('late');
});

test('one that would wait for longer than its queueTimeoutMs is refused; without a limit none is', async () => {
  const { run } = await seasoned();
  for (let index = 0; index < 4; index++) run(index);
  const error = errorOf(await settled(run('late', { queueTimeoutMs: 299 })), 'ERR_OVERLOADED');
  expect(error.data).toMatchObject({ limit: 299, expectedWaitMs: 300, retryAfterMs: 1 });
  const taken = [run('in time', { queueTimeoutMs: 300 }), run('any time')];
  await turn();
  expect(taken.map(({ state }) => state)).toEqual(['pending', 'pending']);
});

test('maxWaitMs bounds the expected wait of all calls, and capacity() waits for as long', async () => {
  const { run, dispatcher, transport } = await seasoned({ maxWaitMs: 250 });
  const calls = [0, 1, 2, 3, 4].map((input) => run(input));
  await turn();
  expect(calls.map(({ state }) => state)).toEqual([
    ...(['pending', 'pending', 'pending', 'pending'] as const),
    'rejected',
  ]);
  expect(errorOf(calls[4], 'ERR_OVERLOADED').data).toMatchObject({ limit: 250, retryAfterMs: 50 });
  const room = watch(dispatcher.capacity());
  await turn();
  expect(room.state).toBe('pending');
  transport.at(0).answer(2, 'answer', 100);
  await turn();
  expect(room.state).toBe('resolved');
});

test('no call is refused while nothing is known, or while a worker has room', async () => {
  const { run, ready, transport } = createPool({ window: 1, maxWaitMs: 0 });
  const early = Array.from({ length: 20 }, () => run('early', { timeoutMs: 1 }));
  await ready();
  const calls = Array.from({ length: 20 }, () => run('call', { timeoutMs: 1 }));
  await turn();
  expect([...early, ...calls].every(({ state }) => state === 'pending')).toBe(true);
  for (let seq = 1; seq <= 40; seq++) transport.at(0).answer(seq, 'answer', 1000);
  const next = run('next', { timeoutMs: 1 });
  // At the head of the queue: it is the next one.
  const after = run('after next', { timeoutMs: 1 });
  await turn();
  expect([next.state, after.state]).toEqual(['pending', 'pending']);
});

test('tasks that wait for something else are measured by how fast they leave the queue', async () => {
  const pool = createPool({ window: 10 });
  await pool.ready();
  for (let index = 0; index < 60; index++) pool.run(index);
  await turn();
  const expected: (number | undefined)[] = [];
  for (let round = 0; round < 4; round++) {
    expected.push(pool.dispatcher.stats().expectedWaitMs);
    pool.clock.advance(100);
    const open = pool.transport.at(0).open.map(({ seq }) => pool.transport.at(0).doneFrame(seq));
    pool.transport.at(0).emit(...open);
    await turn();
  }
  // 50 wait, then 40, 30, 20: ten leave in 100 ms.
  expect(expected).toEqual([undefined, 400, 300, 200]);
  // The queue is empty now, so their time is that of ten at once.
  for (let index = 0; index < 30; index++) pool.run(index);
  expect(pool.dispatcher.stats()).toMatchObject({ queued: 40, expectedWaitMs: 400 });
});

test('tasks that compute are measured likewise, however many a worker is given', async () => {
  const pool = createPool({ max: 2, window: 4 });
  await pool.ready();
  for (let index = 0; index < 108; index++) pool.run(index);
  await work(pool, 10, 20);
  // Two workers, one each 10 ms.
  const { queued, expectedWaitMs } = pool.dispatcher.stats();
  expect([queued, expectedWaitMs]).toEqual([60, 300]);
});

test('eight departures are enough to know, and departures of a worker count from when calls wait', async () => {
  const pool = await seasoned();
  for (let index = 0; index < 20; index++) pool.run(index);
  await work(pool, 10, 7);
  // Still what a task took, of which the first is the slowest.
  expect(pool.dispatcher.stats().expectedWaitMs).toBeGreaterThan(12 * 20);
  await work(pool, 10, 1);
  expect(pool.dispatcher.stats()).toMatchObject({ queued: 11, expectedWaitMs: 110 });
});

test('what was measured follows a change, also one for the worse that no call shows', async () => {
  const pool = createPool({ window: 1 });
  await pool.ready();
  for (let index = 0; index < 201; index++) pool.run(index);
  await work(pool, 10, 50);
  expect(pool.dispatcher.stats()).toMatchObject({ queued: 150, expectedWaitMs: 1500 });
  await work(pool, 20, 60);
  expect(pool.dispatcher.stats()).toMatchObject({ queued: 90, expectedWaitMs: 1800 });
  pool.clock.advance(5000);
  expect(pool.dispatcher.stats().expectedWaitMs).toBeGreaterThan(10_000);
});

test('one more worker is counted on as soon as it starts', async () => {
  const { run, dispatcher, transport } = await seasoned({ min: 1, max: 2 });
  for (let index = 0; index < 5; index++) run(index);
  expect(transport.workers).toHaveLength(2);
  expect(dispatcher.stats()).toMatchObject({ queued: 4, expectedWaitMs: 200 });
});

test('a pool grows though calls are refused', async () => {
  const { run, transport, ready } = await seasoned({ min: 1, max: 3, maxWaitMs: 0 });
  run('runs');
  run('waits, since the worker is behind nobody');
  expect(transport.workers).toHaveLength(2);
  await ready();
  run('runs');
  run('waits');
  errorOf(await settled(run('refused')), 'ERR_OVERLOADED');
  expect(transport.workers).toHaveLength(3);
});

test('only calls of the same or a higher priority go before one, and calls that have aged', async () => {
  const { run, clock } = await seasoned();
  for (let index = 0; index < 11; index++) run(index);
  const limited = { queueTimeoutMs: 50 };
  errorOf(await settled(run('same', limited)), 'ERR_OVERLOADED');
  const above = run('above', { ...limited, priority: 1 });
  await turn();
  expect(above.state).toBe('pending');
  clock.advance(40);
  errorOf(await settled(run('second above', { ...limited, priority: 1 })), 'ERR_OVERLOADED');
  clock.advance(961);
  errorOf(await settled(run('too late', { ...limited, priority: 1 })), 'ERR_OVERLOADED');
  const first = run('still above', { ...limited, priority: 3 });
  await turn();
  expect(first.state).toBe('pending');
});

test('a call with a key waits for the queue of its own worker', async () => {
  const { run } = await seasoned({ max: 2 });
  const [first, second] = keysOf(2);
  for (let index = 0; index < 10; index++) run(index, { key: first });
  const limited = { queueTimeoutMs: 700 };
  errorOf(await settled(run('behind nine', { ...limited, key: first })), 'ERR_OVERLOADED');
  const others = [run('other', { ...limited, key: second }), run('any', limited)];
  run('next', { key: second });
  others.push(run('one waits', { ...limited, key: second }));
  await turn();
  expect(others.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
});

test('nothing is refused while no worker takes tasks: how long its start takes is not known', async () => {
  const { run, transport, dispatcher } = await seasoned();
  for (let index = 0; index < 6; index++) run(index);
  await turn();
  transport.at(0).exit();
  expect(dispatcher.stats()).toMatchObject({ queued: 6, expectedWaitMs: undefined });
  const call = run('soon', { timeoutMs: 1 });
  await turn();
  expect(call.state).toBe('pending');
});

test('the time in which nothing waited for a worker is no time between two departures', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  const [first, second] = keysOf(2);
  for (let index = 0; index < 3; index++) run(index, { key: first });
  run('before', { key: second });
  await turn();
  clock.advance(1000);
  transport.at(1).answer(1);
  for (let index = 0; index < 12; index++) run(index);
  for (let seq = 2; seq <= 10; seq++) {
    await turn();
    clock.advance(10);
    transport.at(1).answer(seq);
  }
  // Two for any worker wait, and each of two workers is taken to be done every 10 ms.
  expect(dispatcher.stats()).toMatchObject({ queued: 4, expectedWaitMs: 10 });
});

test('a refusal is published on a diagnostics channel', async () => {
  const { run } = await seasoned({ maxWaitMs: 50 });
  run('runs');
  run('waits');
  const told: unknown[] = [];
  const listen = (message: unknown): void => void told.push(message);
  subscribe('ticketing:dispatch:overloaded', listen);
  errorOf(await settled(run('refused')), 'ERR_OVERLOADED');
  unsubscribe('ticketing:dispatch:overloaded', listen);
  expect(told).toEqual([{ name: 'fake', task: 'echo', expectedWaitMs: 100, retryAfterMs: 50 }]);
});

test('a call whose time has passed is given to no worker, though its timer is late', async () => {
  const { run, clock, ready, transport, dispatcher } = createPool({ window: 1 });
  await ready();
  run('runs');
  const late = run('late', { timeoutMs: 50 });
  const unstarted = run('unstarted', { queueTimeoutMs: 60 });
  run('in time', { timeoutMs: 61, queueTimeoutMs: 61 });
  await turn();
  clock.stall(60);
  transport.at(0).answer(1);
  await turn();
  expect(errorOf(late, 'ERR_TIMEOUT').data).toMatchObject({ limit: 50, task: 'echo' });
  expect(errorOf(unstarted, 'ERR_QUEUE_TIMEOUT').data.limit).toBe(60);
  expect(transport.at(0).inputs).toEqual(['runs', 'in time']);
  expect(dispatcher.stats()).toMatchObject({ aborted: 2, queued: 0, running: 1 });
});

test('a retried call may have waited longer than its queueTimeoutMs', async () => {
  const { run, clock, ready, transport } = await seasoned();
  const call = run('again', { queueTimeoutMs: 50, idempotent: true, retries: 1 });
  await turn();
  transport.at(0).start();
  clock.advance(100);
  transport.at(0).exit();
  await ready();
  expect(transport.at(1).inputs).toEqual(['again']);
  transport.at(1).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
});

test('a call that its worker did not start since its deadline had passed has timed out', async () => {
  const { run, ready, transport, dispatcher } = createPool();
  await ready();
  const call = run('late', { timeoutMs: 1 });
  await turn();
  const { deadline = 0 } = transport.at(0).runs[0] ?? {};
  while (Date.now() < deadline) await turn();
  transport.at(0).drop(1);
  await turn();
  expect(errorOf(call, 'ERR_TIMEOUT').data.limit).toBe(1);
  expect(transport.at(0).inputs).toEqual(['late']);
  expect(dispatcher.stats()).toMatchObject({ aborted: 1, queued: 0, running: 0 });
});

test('after a long time in which nothing waited, the next call to wait is not taken for the sign of slow workers', async () => {
  const pool = await seasoned({ healthMs: 2 ** 31 - 1 });
  for (let index = 0; index < 24; index++) pool.run(index);
  await work(pool, 100, 24);
  await turn();
  expect(pool.dispatcher.stats().queued).toBe(0);
  pool.clock.advance(60_000);
  for (let index = 0; index < 6; index++) pool.run(index);
  await turn();
  const last = pool.run('last', { timeoutMs: 1000 });
  expect((await settled(last)).state).toBe('pending');
  await work(pool, 100, 7);
  expect((await settled(last)).state).toBe('resolved');
});
