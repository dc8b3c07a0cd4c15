import { expect, test } from 'vitest';
import { DispatchError } from '../../src/errors.ts';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('a call that a worker gives back goes to another one, as the first attempt', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  const call = run('a');
  await turn();
  const [full, free] = [transport.at(0), transport.at(1)];
  expect(full.inputs).toEqual(['a']);
  full.busy(1);
  await turn();
  expect(free.runs).toMatchObject([{ input: 'a', attempt: 1 }]);
  free.answer(1);
  expect((await settled(call)).value).toBe('answer 1');
  expect(dispatcher.stats()).toMatchObject({
    returned: 1,
    retried: 0,
    moved: 0,
    lost: 0,
    completed: 1,
  });
});

test('calls that come back are the first again, in their order', async () => {
  const { run, ready, transport } = createPool({ max: 1, window: 3 });
  await ready();
  for (const input of [1, 2, 3, 4, 5]) run(input);
  await turn();
  const worker = transport.at(0);
  worker.busy(2);
  worker.busy(3);
  worker.room(3);
  expect(worker.inputs).toEqual([1, 2, 3, 2, 3]);
  for (const { seq } of worker.open) worker.answer(seq);
  expect(worker.inputs).toEqual([1, 2, 3, 2, 3, 4, 5]);
});

test('calls that come back measure nothing: who would wait is not known before one was answered', async () => {
  const { run, ready, transport, dispatcher, clock } = createPool({
    max: 1,
    window: 2,
    maxWaitMs: 20,
  });
  await ready();
  for (const input of [1, 2, 3, 4]) run(input);
  await turn();
  const worker = transport.at(0);
  for (let round = 0; round < 10; round += 1) {
    clock.advance(50);
    for (const { seq } of worker.open) worker.busy(seq);
    worker.room(2);
    await turn();
  }
  expect(dispatcher.stats()).toMatchObject({ returned: 20, expectedWaitMs: undefined });
  const call = run(5);
  await turn();
  expect(call.state).toBe('pending');
});

test('a busy worker gets nothing until it has room, though it is idle', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 1, window: 2 });
  await ready();
  const worker = transport.at(0);
  run(1);
  run(2);
  await turn();
  worker.busy(2);
  worker.answer(1);
  run(3);
  await turn();
  expect(worker.inputs).toEqual([1, 2]);
  expect(dispatcher.stats()).toMatchObject({ queued: 2, running: 0 });
  worker.room(2);
  await turn();
  expect(worker.inputs).toEqual([1, 2, 2, 3]);
});

test('room caps the window for good, below and above the setting of the pool', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 1, window: 4 });
  await ready();
  const worker = transport.at(0);
  const windows = (): unknown[] => dispatcher.stats().workers.map(({ window }) => window);
  worker.room(2);
  for (const input of [1, 2, 3, 4, 5]) run(input);
  await turn();
  expect([worker.inputs, windows()]).toEqual([[1, 2], [2]]);
  worker.emit({ kind: 'load', elapsedMs: 100, activeMs: 1, memoryBytes: undefined });
  expect([worker.inputs, windows()]).toEqual([[1, 2], [2]]);
  worker.room(100);
  expect([worker.inputs, windows()]).toEqual([[1, 2, 3, 4], [4]]);
  worker.room(1);
  worker.answer(1);
  worker.answer(2);
  worker.answer(3);
  expect(worker.inputs).toEqual([1, 2, 3, 4]);
  worker.answer(4);
  expect(worker.inputs).toEqual([1, 2, 3, 4, 5]);
});

test('a window without load frames stays what the transport begins with, below the cap', async () => {
  const autoWindow = { first: 1024, max: 1024 };
  const { ready, transport, dispatcher } = createPool({ max: 1, window: 'auto' }, { autoWindow });
  await ready();
  const windows = (): unknown[] => dispatcher.stats().workers.map(({ window }) => window);
  expect(windows()).toEqual([1024]);
  for (const [given, is] of [
    [64, 64],
    [0, 1],
    [2.9, 2],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 1024],
  ]) {
    transport.at(0).room(given as number);
    expect(windows()).toEqual([is]);
  }
});

test('calls that come back from a full worker do not make it look slow', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ max: 1, window: 16 });
  await ready();
  const worker = transport.at(0);
  worker.room(16);
  // What a task takes is known, and no call has left a queue.
  run('first');
  await turn();
  clock.advance(100);
  worker.answer(1);
  const calls = Array.from({ length: 100 }, (_, index) => run(index, { timeoutMs: 5000 }));
  await turn();
  for (const { seq } of worker.open) worker.busy(seq);
  await turn();
  expect(dispatcher.stats()).toMatchObject({ running: 0, queued: 100 });
  // 100 calls, 16 at a time, each 100 ms.
  const later = run('later', { timeoutMs: 1000 });
  const refused = run('too late', { timeoutMs: 600 });
  expect((await settled(later)).state).toBe('pending');
  errorOf(await settled(refused), 'ERR_OVERLOADED');
  for (const call of calls) expect((await settled(call)).state).toBe('pending');
});

test('room for callers of capacity() begins with the frame', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 1, window: 1, maxQueue: 1 });
  await ready();
  run(1);
  await turn();
  transport.at(0).busy(1);
  const room = watch(dispatcher.capacity());
  expect((await settled(room)).state).toBe('pending');
  errorOf(await settled(run(2)), 'ERR_QUEUE_FULL');
  transport.at(0).room(2);
  expect((await settled(room)).state).toBe('resolved');
});

test('a call with a key waits for its worker, though that is busy and others are free', async () => {
  const homeOf = (): number => 1;
  const { run, ready, transport } = createPool({ max: 2, window: 1 }, { homeOf });
  await ready();
  run('a', { key: 'any' });
  await turn();
  transport.at(0).busy(1);
  await turn();
  expect(transport.at(1).inputs).toEqual([]);
  transport.at(0).room(1);
  await turn();
  expect(transport.at(0).inputs).toEqual(['a', 'a']);
});

test('an aborted call that comes back is over, and an unknown one is ignored', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 1, window: 2 });
  await ready();
  const controller = new AbortController();
  const call = run('a', { signal: controller.signal });
  await turn();
  controller.abort('enough');
  await turn();
  transport.at(0).busy(1);
  transport.at(0).busy(77);
  transport.at(0).room(2);
  expect((await settled(call)).error).toBe('enough');
  expect(transport.at(0).inputs).toEqual(['a']);
  expect(dispatcher.stats()).toMatchObject({ returned: 0, queued: 0, running: 0 });
});

test('a call whose time to start passed at the worker does not wait again', async () => {
  const { run, ready, transport, clock } = createPool({ max: 1, window: 1 });
  await ready();
  const call = run('a', { queueTimeoutMs: 50 });
  await turn();
  // As transports do that cannot know: what was sent counts as begun.
  transport.at(0).start(1);
  clock.advance(60);
  expect((await settled(call)).state).toBe('pending');
  transport.at(0).busy(1);
  errorOf(await settled(call), 'ERR_QUEUE_TIMEOUT');
});

test('calls that were given in the same turn and not sent come back with it', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 2, window: 2 });
  await ready();
  for (const input of [1, 2, 3, 4, 5]) run(input);
  await turn();
  const [one, two] = [transport.at(0), transport.at(1)];
  expect([one.inputs, two.inputs]).toEqual([
    [1, 3],
    [2, 4],
  ]);
  // The answer makes room, which is filled before the next frame is read.
  one.isBusy = true;
  one.emit({ kind: 'dropped', seq: 2 }, { kind: 'busy', seq: 1 });
  await turn();
  expect(dispatcher.stats()).toMatchObject({ queued: 3, running: 2, returned: 1 });
  two.answer(1);
  two.answer(2);
  expect(two.inputs).toEqual([2, 4, 1, 3]);
});

test('a worker that is being replaced gives its calls to its successor, and stops', async () => {
  const { run, ready, transport } = createPool({ max: 1, window: 1 });
  await ready();
  run('a');
  await turn();
  transport.at(0).emit({ kind: 'recycle' });
  transport.at(1).ready();
  transport.at(0).busy(1);
  await turn();
  expect(transport.at(0).count('stop')).toBe(1);
  expect(transport.at(1).inputs).toEqual(['a']);
});

test('an input that a transport refuses by a DispatchError rejects with that', async () => {
  const { run, ready, transport, dispatcher } = createPool();
  await ready();
  const tooLarge = new DispatchError('ERR_TOO_LARGE', 'Cannot run echo: the input has 9 bytes', {
    data: { name: 'fake', task: 'echo', limit: 8 },
  });
  transport.refuses = ({ input }) => (input === 'large' ? tooLarge : undefined);
  const [large, small] = [run('large'), run('small')];
  expect(errorOf(await settled(large), 'ERR_TOO_LARGE')).toBe(tooLarge);
  transport.at(0).answer(2);
  expect((await settled(small)).state).toBe('resolved');
  expect(dispatcher.stats()).toMatchObject({ failed: 1, completed: 1 });
});

test('no host is the cause of an open circuit', async () => {
  const { run, transport } = createPool({ restart: { maxFailures: 0 } });
  const waiting = run('a');
  const none = new DispatchError('ERR_NO_HOST', 'Cannot use fleet: no host is there', {
    data: { name: 'fake' },
  });
  transport.at(0).startFailed(none);
  expect(errorOf(await settled(waiting), 'ERR_CIRCUIT_OPEN').cause).toBe(none);
  expect(errorOf(await settled(run('b')), 'ERR_CIRCUIT_OPEN').cause).toBe(none);
});

test('a session that reports work does not count against the circuit when it ends', async () => {
  const { transport, dispatcher, ready } = createPool({ restart: { maxFailures: 0 } });
  await ready();
  const report = { host: 'a', zone: 'west', revision: '1', rttMs: 0.2, credit: 8 };
  transport.at(0).emit({ kind: 'report', data: report, worked: true });
  expect(dispatcher.stats().workers[0]).toMatchObject({ report, utilisation: undefined });
  transport.at(0).exit();
  expect(dispatcher.stats().circuit).toBe('closed');
  await ready();
  expect(dispatcher.state).toBe('ready');
});

test('a call that was never sent, since its worker gave calls back, keeps its limits and its signal', async () => {
  const { run, ready, transport, clock } = createPool({ max: 1, window: 3 });
  await ready();
  run(1);
  await turn();
  const controller = new AbortController();
  const limited = run(2, { timeoutMs: 50 });
  const aborted = run(3, { signal: controller.signal });
  // In the tick of the calls.
  transport.at(0).busy(1);
  await turn();
  expect(transport.at(0).inputs).toEqual([1]);
  controller.abort('enough');
  clock.advance(50);
  await turn();
  errorOf(limited, 'ERR_TIMEOUT');
  expect(aborted).toMatchObject({ state: 'rejected', error: 'enough' });
});
