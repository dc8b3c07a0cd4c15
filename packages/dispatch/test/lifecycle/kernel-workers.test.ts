import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, errorOf, turn, watch } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('min workers start at once, others when every worker is full, one at a time', async () => {
  const { run, ready, transport } = createPool({ min: 2, max: 4, window: 1 });
  expect(transport.workers).toHaveLength(2);
  for (let index = 0; index < 8; index++) run(index);
  expect(transport.workers).toHaveLength(2);
  await ready();
  expect(transport.workers).toHaveLength(3);
  await ready();
  expect(transport.workers).toHaveLength(4);
  await ready();
  expect(transport.workers).toHaveLength(4);
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[0], [1], [2], [3]]);
});

test('an answer starts no worker that waiting calls do not need', async () => {
  const { run, ready, transport } = createPool({ min: 1, max: 8, window: 1 });
  await ready();
  run(0);
  run(1);
  await turn();
  expect(transport.workers).toHaveLength(2);
  transport.at(0).answer(1);
  expect(transport.workers).toHaveLength(2);
  expect(transport.at(0).inputs).toEqual([0, 1]);
});

test('a worker above min that ends is replaced only if calls wait', async () => {
  const { run, ready, transport } = createPool({ min: 1, max: 2, window: 1 });
  await ready();
  run(0);
  run(1);
  await ready();
  transport.at(1).answer(1);
  transport.at(1).exit();
  expect(transport.workers).toHaveLength(2);
  run(2);
  expect(transport.workers).toHaveLength(3);
  await ready();
  transport.at(2).answer(1);
  run(3);
  run(4);
  await turn();
  transport.at(2).exit();
  expect(transport.workers).toHaveLength(4);
});

test('a worker that ignores stop is killed', async () => {
  const { ready, transport, clock, dispatcher } = createPool({ abortGraceMs: 200 });
  await ready();
  const reload = dispatcher.reload();
  await ready();
  await reload;
  expect(transport.at(0).count('stop')).toBe(1);
  clock.advance(199);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
});

test('a worker that ends while it retires loses what it had started, and is not replaced again', async () => {
  const { run, ready, transport, dispatcher } = createPool();
  await ready();
  const [started, unstarted] = [run(0), run(1)];
  await turn();
  transport.at(0).start(1);
  const reload = dispatcher.reload();
  await ready();
  await reload;
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  errorOf(started, 'ERR_WORKER_LOST');
  expect(transport.at(1).inputs).toEqual([1]);
  transport.at(1).answer(1);
  await turn();
  expect(unstarted.state).toBe('resolved');
  expect(transport.workers).toHaveLength(2);
  expect(dispatcher.stats().lost).toBe(1);
});

test('ready() resolves when min workers take tasks', async () => {
  const { transport, dispatcher } = createPool({ min: 2, max: 3 });
  const ready = watch(dispatcher.ready());
  transport.at(0).ready();
  await turn();
  expect([ready.state, dispatcher.state]).toEqual(['pending', 'starting']);
  transport.at(1).ready();
  await turn();
  expect([ready.state, dispatcher.state]).toEqual(['resolved', 'ready']);
  await dispatcher.ready();
  transport.at(0).exit();
  expect(dispatcher.state).toBe('degraded');
});

test('workers hold the process while calls wait, and 10 ms longer', async () => {
  const { run, transport, ready, clock } = createPool({ max: 2, window: 1 });
  const [first, second] = transport.workers;
  await ready();
  expect(first?.holds).toEqual([]);
  clock.advance(10);
  expect(first?.holds).toEqual([false]);
  expect(second?.holds).toEqual([false]);
  run(0);
  expect(first?.holds).toEqual([false, true]);
  await turn();
  first?.answer(1);
  clock.advance(9);
  run(1);
  await turn();
  clock.advance(1);
  expect(first?.holds).toEqual([false, true]);
  first?.answer(2);
  clock.advance(10);
  expect(first?.holds).toEqual([false, true, false]);
});

test('a worker that starts holds the process until it is ready', async () => {
  const { run, transport, ready, clock } = createPool({ min: 1, max: 2, window: 1 });
  await ready();
  run(0);
  run(1);
  await turn();
  transport.at(0).answer(1);
  transport.at(0).answer(2);
  clock.advance(10);
  expect(transport.at(0).holds).toEqual([false]);
  expect(transport.at(1).holds).toEqual([]);
  transport.at(1).ready();
  expect(transport.at(1).holds).toEqual([false]);
});
