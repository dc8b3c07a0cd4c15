import { expect, test } from 'vitest';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('drain() takes no more calls, lets its calls finish, and reports', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 1 });
  await ready();
  const calls = [run(0), run(1)];
  const drain = watch(dispatcher.drain());
  expect(dispatcher.state).toBe('draining');
  const error = errorOf(await settled(run(2)), 'ERR_DRAINING');
  expect(error.message).toBe('Cannot run `echo`: dispatcher `fake` is draining');
  transport.at(0).answer(1);
  await turn();
  expect(drain.state).toBe('pending');
  transport.at(0).fail(2, 'an error is an answer');
  await turn();
  expect(drain).toMatchObject({ state: 'resolved', value: { completed: 2, aborted: 0 } });
  expect(calls.map(({ state }) => state)).toEqual(['resolved', 'rejected']);
  expect(await dispatcher.drain()).toEqual({ completed: 2, aborted: 0 });
  expect(transport.at(0).count('stop')).toBe(0);
});

test('drain() of a pool without calls resolves at once', async () => {
  const { dispatcher } = createPool();
  expect(await dispatcher.drain({ timeoutMs: 5 })).toEqual({ completed: 0, aborted: 0 });
});

test('drain() aborts what has not settled in time', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ window: 1 });
  await ready();
  const calls = [run(0), run(1), run(2)];
  const drain = watch(dispatcher.drain({ timeoutMs: 500 }));
  await turn();
  transport.at(0).answer(1);
  await turn();
  transport.at(0).start();
  clock.advance(500);
  await turn();
  expect(drain).toMatchObject({ state: 'resolved', value: { completed: 1, aborted: 2 } });
  const error = errorOf(calls[1], 'ERR_DRAINING');
  expect(error.message).toBe('Task `echo` did not finish within `timeoutMs` of drain() (500 ms)');
  expect(error.data).toMatchObject({ limit: 500 });
  errorOf(calls[2], 'ERR_DRAINING');
  expect(transport.at(0).aborts).toEqual([{ seq: 2, reason: error }]);
  expect(dispatcher.stats()).toMatchObject({ completed: 1, aborted: 2 });
});

test('close() ends a drain', async () => {
  const { run, ready, dispatcher } = createPool();
  await ready();
  run(0);
  const drain = watch(dispatcher.drain({ timeoutMs: 500 }));
  await turn();
  void dispatcher.close();
  await turn();
  expect(drain.state).toBe('resolved');
});

test('close() rejects every call, stops the workers, and resolves after the transport', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  const calls = [run(0), run(1), run(2)];
  await turn();
  run(3);
  let release = (): void => {};
  transport.closing = new Promise((resolve) => {
    release = resolve;
  });
  const closing = dispatcher.close();
  expect(dispatcher.close()).toBe(closing);
  expect(dispatcher.state).toBe('closed');
  const close = watch(closing);
  await turn();
  for (const call of calls) {
    expect(errorOf(call, 'ERR_CLOSED').message).toBe(
      'Cannot run `echo`: dispatcher `fake` is closed',
    );
  }
  errorOf(await settled(run(4)), 'ERR_CLOSED');
  for (const worker of transport.workers) {
    expect(worker.frames.map(({ kind }) => kind)).toEqual(['run', 'abort', 'stop']);
  }
  transport.at(0).answer(1, 'late');
  transport.at(0).exit({ exitCode: 0 });
  expect(transport.closes).toBe(0);
  transport.at(1).exit({ exitCode: 0 });
  await turn();
  expect([transport.closes, close.state]).toEqual([1, 'pending']);
  release();
  await turn();
  expect(close.state).toBe('resolved');
  expect(clock.pending).toBe(0);
  expect(transport.workers).toHaveLength(2);
  expect(dispatcher.stats()).toMatchObject({ state: 'closed', rejected: 5, lost: 0, workers: [] });
});

test('close() kills workers that do not stop in its time', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs: 100 });
  await ready();
  run(0);
  await turn();
  transport.at(0).start();
  const close = watch(dispatcher.close({ graceMs: 300 }));
  clock.advance(299);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
  transport.at(0).exit({ signal: 'SIGKILL' });
  await turn();
  expect(close.state).toBe('resolved');
  expect(dispatcher.stats().killed).toBe(0);
});

test('close() gives workers abortGraceMs by default', async () => {
  const { ready, transport, clock, dispatcher } = createPool({ abortGraceMs: 100 });
  await ready();
  void dispatcher.close();
  clock.advance(100);
  expect(transport.at(0).kills).toBe(1);
});

test('close() kills starting workers, and restarts none', async () => {
  const { run, transport, clock, dispatcher } = createPool({ max: 2 });
  const call = run(0);
  transport.at(1).exit();
  const ready = watch(dispatcher.ready());
  const close = watch(dispatcher.close());
  expect(transport.at(0).kills).toBe(1);
  clock.advance(10_000);
  transport.at(0).ready();
  transport.at(0).exit({ signal: 'SIGKILL' });
  await turn();
  expect(transport.workers).toHaveLength(2);
  errorOf(call, 'ERR_CLOSED');
  expect(errorOf(ready, 'ERR_CLOSED').message).toBe('Dispatcher `fake` is closed');
  errorOf(await settled(watch(dispatcher.ready())), 'ERR_CLOSED');
  expect(close.state).toBe('resolved');
  expect(clock.pending).toBe(0);
});

test('close() ends reloads, and rejects callers that wait for them', async () => {
  const { ready, transport, dispatcher } = createPool({ max: 2 });
  await ready();
  const first = watch(dispatcher.reload());
  const second = watch(dispatcher.reload({ module: new URL('file:///other.js') }));
  void dispatcher.close();
  await turn();
  errorOf(first, 'ERR_CLOSED');
  errorOf(second, 'ERR_CLOSED');
  errorOf(await settled(watch(dispatcher.reload())), 'ERR_CLOSED');
  expect(transport.workers).toHaveLength(3);
});

test('close() during back-off leaves nothing, though a reload waits', async () => {
  const { transport, dispatcher, clock } = createPool({ max: 2 });
  transport.at(0).exit();
  transport.at(1).exit();
  const first = watch(dispatcher.reload());
  const second = watch(dispatcher.reload({ module: new URL('file:///other.js') }));
  const close = watch(dispatcher.close());
  transport.at(2).exit();
  await turn();
  expect(close.state).toBe('resolved');
  errorOf(first, 'ERR_CLOSED');
  errorOf(second, 'ERR_CLOSED');
  clock.advance(10_000);
  expect(transport.workers).toHaveLength(3);
});

test('close() with an open circuit leaves nothing', async () => {
  const { transport, dispatcher, clock } = createPool();
  transport.at(0).startFailed('no', true);
  await dispatcher.close();
  clock.advance(10_000);
  expect(transport.workers).toHaveLength(1);
});

test('a dispatcher closes at the end of its scope', async () => {
  const { dispatcher } = createPool();
  const close = dispatcher[Symbol.asyncDispose]();
  expect(dispatcher.close()).toBe(close);
});

test('graceMs of close() is the whole time, also for a worker that was stopping with more of its own', async () => {
  const { dispatcher, run, ready, transport, clock } = createPool({ stopGraceMs: 10_000 });
  await ready();
  run(1);
  await turn();
  transport.at(0).start(1);
  void dispatcher.reload();
  transport.at(1).ready();
  await turn();
  transport.at(0).answer(1, 1);
  await turn();
  expect(dispatcher.stats().workers.map(({ state }) => state)).toEqual(['stopping', 'ready']);
  const closing = watch(dispatcher.close({ graceMs: 50 }));
  await turn();
  clock.advance(49);
  expect(transport.workers.map(({ kills }) => kills)).toEqual([0, 0]);
  clock.advance(1);
  expect(transport.workers.map(({ kills }) => kills)).toEqual([1, 1]);
  for (const worker of transport.living) worker.exit({ signal: 'SIGKILL' });
  await turn();
  expect(closing.state).toBe('resolved');
  expect(clock.pending).toBe(0);
});
