import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, keysOf, turn, watch } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('scale() up starts the missing workers, and resolves when they take tasks', async () => {
  const { pool, transport, ready, dispatcher, run } = createPool();
  await ready();
  const scaled = watch(pool.scale(3));
  expect(transport.workers).toHaveLength(3);
  expect(dispatcher.state).toBe('degraded');
  transport.at(1).ready();
  await turn();
  expect(scaled.state).toBe('pending');
  transport.at(2).ready();
  await turn();
  expect(scaled.state).toBe('resolved');
  expect(dispatcher.state).toBe('ready');
  for (const input of [0, 1, 2]) run(input);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[0], [1], [2]]);
});

test('scale() down retires the last ones, which finish what they have', async () => {
  const { pool, transport, ready, dispatcher, run } = createPool({ max: 3, window: 1 });
  await ready();
  const calls = [0, 1, 2, 3].map((input) => run(input));
  await turn();
  for (const worker of transport.workers) worker.start();
  const scaled = watch(pool.scale(1));
  expect(dispatcher.stats().workers).toMatchObject([
    { slot: 0, state: 'ready' },
    { slot: 1, state: 'retiring' },
    { slot: 2, state: 'retiring' },
  ]);
  expect(transport.at(1).count('stop')).toBe(0);
  transport.at(1).answer(1);
  expect(transport.at(1).count('stop')).toBe(1);
  transport.at(2).answer(1);
  transport.at(0).answer(1);
  await turn();
  // What waited goes to the one that stays.
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[0, 3], [1], [2]]);
  transport.at(0).answer(2);
  transport.at(1).exit({ exitCode: 0 });
  await turn();
  expect(scaled.state).toBe('pending');
  transport.at(2).exit({ exitCode: 0 });
  await turn();
  expect(scaled.state).toBe('resolved');
  expect(calls.map(({ state }) => state)).toEqual(Array(4).fill('resolved'));
  expect(dispatcher.stats()).toMatchObject({ spawned: 3, lost: 0, workers: [{ slot: 0 }] });
});

test('any worker runs calls that wait for a removed slot', async () => {
  const { pool, transport, ready, run } = createPool({ max: 3, window: 1 });
  await ready();
  const [, , key] = keysOf(3);
  const calls = [0, 1].map((input) => run(input, { key }));
  await turn();
  expect(transport.at(2).inputs).toEqual([0]);
  void pool.scale(2);
  await turn();
  const others = [...transport.at(0).inputs, ...transport.at(1).inputs];
  expect(others).toEqual([1]);
  transport.at(2).answer(1);
  transport.at(2).exit();
  for (const worker of transport.living) if (worker.open.length > 0) worker.answer(1);
  await turn();
  expect(calls.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
});

test('a worker that starts in a removed slot is killed, and that is no failure', async () => {
  const { pool, transport, ready, dispatcher } = createPool({ restart: { maxFailures: 0 } });
  await ready();
  const [up, down] = [watch(pool.scale(2)), watch(pool.scale(1))];
  expect(transport.at(1).kills).toBe(1);
  await turn();
  // The first one waited for workers; all that are kept are there.
  expect([up.state, down.state]).toEqual(['resolved', 'pending']);
  transport.at(1).exit({ signal: 'SIGKILL' });
  await turn();
  expect(down.state).toBe('resolved');
  expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', lost: 0 });
});

test('a slot that is removed and added again gets a worker of its own', async () => {
  const { pool, transport, ready, run, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  for (const input of [0, 1]) run(input);
  await turn();
  const down = watch(pool.scale(1));
  const up = watch(pool.scale(2));
  transport.at(2).ready();
  transport.at(1).answer(1);
  transport.at(1).exit({ exitCode: 0 });
  await turn();
  expect([up.state, down.state]).toEqual(['resolved', 'resolved']);
  expect(dispatcher.stats().workers).toMatchObject([
    { workerId: 1, slot: 0, state: 'ready' },
    { workerId: 3, slot: 1, state: 'ready' },
  ]);
  transport.at(0).answer(1);
});

test('scale() during a reload leaves each remaining slot with its new worker', async () => {
  const { pool, transport, ready, dispatcher } = createPool({ max: 3 });
  await ready();
  const reload = watch(dispatcher.reload());
  await turn();
  const scaled = watch(pool.scale(1));
  await ready();
  await turn();
  for (const worker of transport.living) if (worker.isStopping) worker.exit({ exitCode: 0 });
  await turn();
  expect([reload.state, scaled.state]).toEqual(['resolved', 'resolved']);
  expect(dispatcher.stats().workers).toMatchObject([{ workerId: 4, slot: 0 }]);
});

test('scale() rejects when the workers cannot start', async () => {
  const { pool, transport, ready } = createPool({ restart: { maxFailures: 0 } });
  await ready();
  const scaled = watch(pool.scale(2));
  transport.at(1).startFailed('no');
  await turn();
  expect(scaled.error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', cause: 'no' });
});

test('a probe in a removed slot is followed by another', async () => {
  const { pool, transport, ready, dispatcher, clock } = createPool({
    max: 2,
    restart: { maxFailures: 0, backoffMs: [100, 1000] },
  });
  transport.at(0).ready();
  transport.at(1).startFailed('no');
  clock.advance(1000);
  expect(dispatcher.stats().circuit).toBe('half-open');
  const scaled = watch(pool.scale(1));
  transport.at(2).exit({ signal: 'SIGKILL' });
  await turn();
  expect(scaled.state).toBe('resolved');
  clock.advance(1000);
  await ready();
  expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', workers: [{ slot: 0 }] });
});

test('scale() after close() rejects, and each number but 1 to 1024', async () => {
  const { pool, ready, transport, dispatcher } = createPool();
  await ready();
  for (const wrong of [0, 1.5, 1025, Number.NaN]) {
    await expect(pool.scale(wrong)).rejects.toThrow(
      new RangeError(`Cannot scale: \`workers\` must be an integer of 1 to 1024, got ${wrong}`),
    );
  }
  await expect(pool.scale('2' as never)).rejects.toThrow(TypeError);
  const closed = dispatcher.close();
  transport.at(0).exit({ exitCode: 0 });
  await closed;
  await expect(pool.scale(2)).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});

test('the only worker keeps a window of 2 for long tasks, until there is another', async () => {
  const { pool, transport, ready, dispatcher, run } = createPool({ window: 'auto' });
  await ready();
  const worker = transport.at(0);
  let answered = 0;
  /** Runs tasks of 5 ms that keep the worker busy. @returns its window then */
  const work = (tasks: number): number | undefined => {
    for (let task = 0; task < tasks; task++) {
      run(task);
      answered += 1;
      worker.start();
      worker.answer(answered);
      worker.emit({ kind: 'load', elapsedMs: 5, activeMs: 5, memoryBytes: 1 });
    }
    return dispatcher.stats().workers[0]?.window;
  };
  expect(work(60)).toBe(2);
  const scaled = pool.scale(2);
  transport.at(1).ready();
  await scaled;
  expect(work(60)).toBe(1);
});

test('a part of a broadcast whose worker ends after its slot was removed runs elsewhere', async () => {
  const { pool, transport, ready, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  const all = watch(dispatcher.broadcast('echo', 'all'));
  await turn();
  const scaled = watch(pool.scale(1));
  transport.at(1).exit();
  transport.at(0).answer(1);
  await turn();
  transport.at(0).answer(2);
  await turn();
  expect([all.state, scaled.state]).toEqual(['resolved', 'resolved']);
});
