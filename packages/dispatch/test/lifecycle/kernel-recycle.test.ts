import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('a worker is recycled after its tasks: replacement first, then it finishes and stops', async () => {
  const { run, ready, transport, dispatcher } = createPool({ recycle: { tasks: 2 }, window: 2 });
  await ready();
  for (const input of [0, 1, 2, 3]) run(input);
  await turn();
  transport.at(0).answer(1);
  expect(transport.workers).toHaveLength(1);
  transport.at(0).answer(2);
  expect(transport.workers).toHaveLength(2);
  expect(transport.at(0).inputs).toEqual([0, 1, 2, 3]);
  transport.at(0).start();
  run(4);
  await ready();
  expect(transport.at(1).inputs).toEqual([4]);
  expect(dispatcher.stats().workers).toMatchObject([{ state: 'retiring' }, { state: 'ready' }]);
  transport.at(0).answer(3);
  expect(transport.at(0).count('stop')).toBe(0);
  transport.at(0).answer(4);
  expect(transport.at(0).count('stop')).toBe(1);
  expect(dispatcher.stats().workers[0]?.state).toBe('stopping');
  transport.at(0).exit({ exitCode: 0 });
  expect(transport.workers).toHaveLength(2);
  expect(dispatcher.stats()).toMatchObject({ recycled: 1, lost: 0, spawned: 2 });
});

test('recycle() replaces the worker of that number, and nothing for an unknown one', async () => {
  const { pool, ready, transport } = createPool({ min: 2, max: 2 });
  await ready();
  pool.recycle(99);
  expect(transport.workers).toHaveLength(2);
  pool.recycle(transport.at(1).workerId);
  await ready();
  expect(transport.workers.map((worker) => worker.count('stop'))).toEqual([0, 1, 0]);
});

test('a worker whose successor did not start is replaced at the next check', async () => {
  const { run, ready, transport, clock } = createPool({ healthMs: 1000, recycle: { tasks: 1 } });
  await ready();
  run(0);
  await turn();
  transport.at(0).answer(1);
  expect(transport.workers).toHaveLength(2);
  transport.at(1).startFailed(new Error('Cannot find module'));
  await turn();
  expect(transport.workers).toHaveLength(2);
  clock.advance(1000);
  expect(transport.workers).toHaveLength(3);
});

test('each limit is reduced at random', async () => {
  const numbers = [0.5, 0];
  const { run, ready, transport } = createPool({
    max: 2,
    window: 10,
    random: () => numbers.shift() ?? 0,
    recycle: { tasks: 10, jitter: 0.4 },
  });
  await ready();
  for (let index = 0; index < 20; index++) run(index);
  await turn();
  for (let seq = 1; seq <= 7; seq++) for (const worker of [0, 1]) transport.at(worker).answer(seq);
  expect(transport.workers).toHaveLength(2);
  transport.at(0).answer(8);
  transport.at(1).answer(8);
  expect(transport.workers).toHaveLength(3);
  transport.at(1).answer(9);
  expect(transport.workers).toHaveLength(3);
  transport.at(1).answer(10);
  expect(transport.workers).toHaveLength(4);
});

test('workers are recycled by age and by memory', async () => {
  const { ready, transport, clock } = createPool({
    healthMs: 1000,
    recycle: { ageMs: 2500, rssBytes: 1e9 },
  });
  await ready();
  clock.advance(1000);
  transport.at(0).emit({ kind: 'healthy' });
  expect(transport.workers).toHaveLength(1);
  transport.at(0).emit({ kind: 'load', elapsedMs: 10, activeMs: 1, memoryBytes: 1e9 });
  clock.advance(1000);
  expect(transport.workers).toHaveLength(2);
  transport.at(0).emit({ kind: 'healthy' });
  await ready();
  transport.at(0).exit({ exitCode: 0 });
  // The second was born at 2000: it is 2500 old after 4500, which is seen at 5000.
  for (let second = 3; second <= 4; second++) {
    clock.advance(1000);
    transport.at(1).emit({ kind: 'healthy' });
  }
  expect(transport.workers).toHaveLength(2);
  clock.advance(1000);
  expect(transport.workers).toHaveLength(3);
});

test('a worker whose successor does not start goes on, and is recycled later', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({
    recycle: { tasks: 1 },
    healthMs: 1000,
    restart: { maxFailures: 0 },
  });
  await ready();
  run(0);
  await turn();
  transport.at(0).answer(1);
  transport.at(1).startFailed(new Error('no'));
  await turn();
  expect(dispatcher.stats().circuit).toBe('closed');
  run(1);
  await turn();
  transport.at(0).answer(2);
  expect(transport.workers).toHaveLength(2);
  clock.advance(1000);
  expect(transport.workers).toHaveLength(3);
  await ready();
  expect(transport.at(0).count('stop')).toBe(1);
});

test('a worker that does not answer its health check is replaced', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ healthMs: 1000 });
  await ready();
  clock.advance(1000);
  expect(transport.at(0).count('health')).toBe(1);
  run(0);
  await turn();
  clock.advance(1000);
  expect(transport.at(0).kills).toBe(0);
  await turn();
  expect(transport.at(0).kills).toBe(1);
  transport.at(0).exit({ signal: 'SIGKILL' });
  await ready();
  expect(transport.at(1).inputs).toEqual([0]);
  expect(dispatcher.stats()).toMatchObject({ recycled: 1, lost: 0, killed: 0 });
});

test('a pause of this process is not held against workers that were asked before it [paused-process]', async () => {
  const { ready, transport, clock } = createPool({ healthMs: 1000 });
  await ready();
  clock.advance(1000);
  expect(transport.at(0).count('health')).toBe(1);
  clock.stall(10_000);
  clock.advance(0);
  await turn();
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1000);
  await turn();
  expect(transport.at(0).kills).toBe(1);
});

test('an answer that is read in the turn in which it is missed is in time', async () => {
  const { ready, transport, clock } = createPool({ healthMs: 1000 });
  await ready();
  clock.advance(2000);
  transport.at(0).emit({ kind: 'healthy' });
  await turn();
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1000);
  expect(transport.at(0).count('health')).toBe(2);
});

test('a worker that runs a task may be late with its answer, also right after it', async () => {
  const { run, ready, transport, clock } = createPool({ healthMs: 1000 });
  await ready();
  run(0);
  await turn();
  transport.at(0).start();
  clock.advance(5999);
  await turn();
  expect(transport.at(0).count('health')).toBe(1);
  transport.at(0).answer(1);
  clock.advance(1);
  await turn();
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1000);
  await turn();
  expect(transport.at(0).kills).toBe(1);
});

test('a worker whose health hook fails is replaced, replacement first', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ healthMs: 1000 });
  await ready();
  clock.advance(1000);
  transport.at(0).emit({ kind: 'healthy', error: new Error('leaking') });
  expect(transport.workers).toHaveLength(2);
  run(0);
  await turn();
  expect(transport.at(0).inputs).toEqual([0]);
  await ready();
  expect(transport.at(0).count('stop')).toBe(0);
  transport.at(0).answer(1);
  expect(transport.at(0).count('stop')).toBe(1);
  expect(dispatcher.stats()).toMatchObject({ recycled: 1, lost: 0 });
});
