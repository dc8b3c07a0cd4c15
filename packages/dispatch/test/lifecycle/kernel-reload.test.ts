import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, errorOf, turn, watch } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('reload() replaces worker after worker; a new one takes tasks before the old one stops', async () => {
  const { transport, ready, dispatcher } = createPool({ max: 2 });
  await ready();
  const reload = watch(dispatcher.reload());
  await turn();
  expect(transport.workers).toHaveLength(3);
  expect(transport.at(0).count('stop')).toBe(0);
  transport.at(2).ready();
  expect(transport.at(0).count('stop')).toBe(1);
  await turn();
  expect(transport.workers).toHaveLength(4);
  expect(transport.at(1).count('stop')).toBe(0);
  expect(reload.state).toBe('pending');
  transport.at(3).ready();
  await turn();
  expect(reload.state).toBe('resolved');
  expect(transport.at(1).count('stop')).toBe(1);
  expect(dispatcher.stats()).toMatchObject({ spawned: 4, recycled: 0, lost: 0 });
});

test('reload({ parallel }) replaces that many at a time, and no fewer workers take tasks', async () => {
  const { transport, ready, dispatcher } = createPool({ max: 5 });
  await ready();
  const reload = watch(dispatcher.reload({ parallel: 2 }));
  const readyWorkers = () => dispatcher.stats().workers.filter(({ state }) => state === 'ready');
  for (const started of [7, 8, 9, 10, 10]) {
    await turn();
    expect(transport.workers).toHaveLength(started);
    expect(readyWorkers()).toHaveLength(5);
    expect(reload.state).toBe('pending');
    transport.workers.find(({ isReady, hasEnded }) => !isReady && !hasEnded)?.ready();
  }
  await turn();
  expect(reload.state).toBe('resolved');
  expect(transport.workers.map((worker) => worker.count('stop'))).toEqual([
    ...[1, 1, 1, 1, 1],
    ...[0, 0, 0, 0, 0],
  ]);
});

test('reload({ parallel }) above the number of workers replaces all at once', async () => {
  const { transport, ready, dispatcher } = createPool({ max: 3 });
  await ready();
  const reload = watch(dispatcher.reload({ parallel: 1024 }));
  await turn();
  expect(transport.workers).toHaveLength(6);
  await ready();
  expect(reload.state).toBe('resolved');
});

test('reload({ parallel }) that fails waits for the concurrent starts, and leaves the rest alone', async () => {
  const { transport, ready, dispatcher } = createPool({ max: 4 });
  await ready();
  const module = new URL('file:///new.js');
  const reload = watch(dispatcher.reload({ module, parallel: 2 }));
  await turn();
  transport.at(4).startFailed('first');
  await turn();
  expect(reload.state).toBe('pending');
  expect(transport.workers).toHaveLength(6);
  transport.at(5).ready();
  await turn();
  expect(reload).toMatchObject({ state: 'rejected', error: 'first' });
  expect(transport.workers).toHaveLength(6);
  expect(transport.workers.map((worker) => worker.count('stop'))).toEqual([0, 1, 0, 0, 0, 0]);
  // One has the new module: so have those that follow.
  transport.at(0).exit();
  expect(transport.at(-1).module).toBe(module);
});

test('concurrent reload() calls share one reload; one for another module follows', async () => {
  const { transport, ready, dispatcher } = createPool();
  await ready();
  const [first, second] = [new URL('file:///a.js'), new URL('file:///b.js')];
  const reloads = [
    dispatcher.reload({ module: first }),
    dispatcher.reload({ module: new URL(first) }),
    dispatcher.reload({ module: second }),
    dispatcher.reload({ module: second }),
    dispatcher.reload(),
  ];
  expect(reloads[0]).toBe(reloads[1]);
  expect(reloads[2]).toBe(reloads[3]);
  const done = watch(Promise.all(reloads));
  await turn();
  expect(transport.workers).toHaveLength(2);
  for (let index = 0; index < 3; index++) await ready();
  expect(done.state).toBe('resolved');
  expect(transport.workers.map(({ module }) => module?.href)).toEqual([
    undefined,
    first.href,
    second.href,
    second.href,
  ]);
});

test('reload() that fails keeps the old workers and the old module', async () => {
  const { run, transport, ready, dispatcher } = createPool({ restart: { maxFailures: 0 } });
  await ready();
  const good = dispatcher.reload({ module: new URL('file:///good.js') });
  await ready();
  await good;
  transport.at(0).exit({ exitCode: 0 });
  const reload = watch(dispatcher.reload({ module: new URL('file:///bad.js') }));
  const error = new SyntaxError('bad.js');
  transport.at(-1).startFailed(error, true);
  await turn();
  expect(reload).toMatchObject({ state: 'rejected', error });
  expect(dispatcher.stats().circuit).toBe('closed');
  run(0);
  await turn();
  expect(transport.at(1).inputs).toEqual([0]);
  transport.at(1).answer(1);
  transport.at(1).exit();
  expect(transport.at(-1).module?.href).toBe('file:///good.js');
  const again = watch(dispatcher.reload());
  await ready();
  expect(again.state).toBe('resolved');
});

test('reload() that times out kills the new worker and keeps the old one', async () => {
  const { transport, ready, dispatcher, clock } = createPool({ startTimeoutMs: 300 });
  await ready();
  const reload = watch(dispatcher.reload());
  clock.advance(300);
  expect(transport.at(1).kills).toBe(1);
  transport.at(1).exit({ signal: 'SIGKILL' });
  await turn();
  errorOf(reload, 'ERR_START_TIMEOUT');
  expect(dispatcher.state).toBe('ready');
  expect(transport.workers).toHaveLength(2);
});

test('reload() tries a new worker that ends while it starts once more, for each slot', async () => {
  const { transport, ready, dispatcher } = createPool({ max: 2 });
  await ready();
  const reload = watch(dispatcher.reload());
  for (const slot of [0, 1]) {
    expect(transport.at(-1)).toMatchObject({ slot, isReady: false });
    transport.at(-1).exit({ signal: 'SIGKILL' });
    await turn();
    expect(transport.at(-1)).toMatchObject({ slot, isReady: false, hasEnded: false });
    transport.at(-1).ready();
    await turn();
  }
  expect(reload.state).toBe('resolved');
  expect(dispatcher.stats()).toMatchObject({ spawned: 6, circuit: 'closed' });
});

test('reload() whose new worker ends twice is given up, and the old ones go on', async () => {
  const { transport, ready, dispatcher } = createPool({ max: 2 });
  await ready();
  const reload = watch(dispatcher.reload());
  for (const exitCode of [1, 2]) {
    transport.at(-1).exit({ exitCode });
    await turn();
  }
  expect(errorOf(reload, 'ERR_WORKER_LOST').data.exitCode).toBe(2);
  expect(dispatcher.stats()).toMatchObject({ spawned: 4, state: 'ready' });
});

test('close() while a new worker is tried once more ends reload()', async () => {
  const { transport, ready, dispatcher } = createPool();
  await ready();
  const reload = watch(dispatcher.reload());
  const closed = dispatcher.close();
  for (const worker of transport.living) worker.exit({ exitCode: 0 });
  await closed;
  await turn();
  expect(reload.state).toBe('rejected');
  expect(transport.workers).toHaveLength(2);
});

test('reload() while a worker still starts replaces that one too', async () => {
  const { run, transport, dispatcher } = createPool();
  const call = run(0);
  const reload = watch(dispatcher.reload({ module: new URL('file:///new.js') }));
  expect(transport.at(0).kills).toBe(1);
  expect(transport.workers).toHaveLength(2);
  transport.at(0).exit({ signal: 'SIGKILL' });
  expect(transport.workers).toHaveLength(2);
  transport.at(1).ready();
  await turn();
  expect(reload.state).toBe('resolved');
  transport.at(1).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
});

test('reload() takes the place of a restart that waits', async () => {
  const { transport, clock, dispatcher } = createPool();
  transport.at(0).exit();
  const reload = watch(dispatcher.reload());
  expect(transport.workers).toHaveLength(2);
  clock.advance(5000);
  expect(transport.workers).toHaveLength(2);
  transport.at(1).ready();
  await turn();
  expect(reload.state).toBe('resolved');
});

test('reload() while the old worker ends: the new one takes its place', async () => {
  const { run, transport, ready, dispatcher } = createPool();
  await ready();
  const reload = watch(dispatcher.reload());
  run(0);
  await turn();
  transport.at(0).exit();
  expect(transport.workers).toHaveLength(2);
  transport.at(1).ready();
  await turn();
  expect(reload.state).toBe('resolved');
  expect(transport.at(1).inputs).toEqual([0]);
});

test('reload() with a good module closes an open circuit, and rejects with a bad one', async () => {
  const { run, transport, dispatcher } = createPool({ max: 2 });
  for (const worker of [...transport.workers]) worker.startFailed(new Error('bad'), true);
  expect(dispatcher.stats().circuit).toBe('open');
  const worse = watch(dispatcher.reload({ module: new URL('file:///worse.js') }));
  const error = new Error('worse');
  transport.at(-1).startFailed(error, true);
  await turn();
  expect(worse).toMatchObject({ state: 'rejected', error });
  const better = watch(dispatcher.reload({ module: new URL('file:///better.js') }));
  for (let index = 0; index < 2; index++) {
    transport.at(-1).ready();
    await turn();
  }
  expect(better.state).toBe('resolved');
  const call = run(0);
  await turn();
  transport.at(-2).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
  expect(dispatcher.stats().circuit).toBe('closed');
  expect(dispatcher.state).toBe('ready');
});

test('recycling waits while a worker is being reloaded', async () => {
  const { run, transport, ready, dispatcher } = createPool({ recycle: { tasks: 1 } });
  await ready();
  run(0);
  await turn();
  const reload = watch(dispatcher.reload());
  transport.at(0).answer(1);
  expect(transport.workers).toHaveLength(2);
  await ready();
  expect(reload.state).toBe('resolved');
  expect(dispatcher.stats().recycled).toBe(0);
});
