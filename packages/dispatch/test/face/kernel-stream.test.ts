import { expect, test } from 'vitest';
import type { FakeWorker } from '../fake-transport.ts';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  settled,
  streamOf,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** The credit that a worker was given: with its calls, and after. */
function credits(worker: FakeWorker): unknown[] {
  return worker.frames.flatMap((frame) => {
    if (frame.kind === 'run') return [['run', frame.credit]];
    return frame.kind === 'credit' ? [[frame.seq, frame.items]] : [];
  });
}

test('the window goes with the call, and half of it at a time as items are taken', async () => {
  const { dispatcher, transport, ready } = createPool();
  await ready();
  const items = streamOf(dispatcher, { window: 4 });
  const first = watch(items.next());
  await turn();
  const worker = transport.at(0);
  worker.start();
  for (let value = 1; value <= 4; value += 1) worker.emit({ kind: 'item', seq: 1, value });
  await turn();
  expect(first.value).toEqual({ done: false, value: 1 });
  expect(credits(worker)).toEqual([['run', 4]]);
  await items.next();
  await turn();
  expect(credits(worker)).toEqual([
    ['run', 4],
    [1, 2],
  ]);
  worker.answer(1);
  await turn();
  expect((await items.next()).value).toBe(3);
  expect((await items.next()).value).toBe(4);
  expect(await items.next()).toEqual({ done: true, value: undefined });
  await turn();
  expect(credits(worker)).toEqual([
    ['run', 4],
    [1, 2],
  ]);
});

test('a call of run() has no credit, and items for it are ignored', async () => {
  const { run, transport, ready } = createPool();
  await ready();
  const call = run(1);
  await turn();
  const worker = transport.at(0);
  worker.start();
  worker.emit({ kind: 'item', seq: 1, value: 'stray' });
  worker.answer(1);
  await settled(call);
  expect(call.state).toBe('resolved');
  expect(credits(worker)).toEqual([['run', undefined]]);
});

test('a stream that waits in the queue goes by leaving it, and is never sent', async () => {
  const { dispatcher, run, transport, ready } = createPool({ window: 1 });
  await ready();
  const held = run(1);
  const items = streamOf(dispatcher);
  const next = watch(items.next());
  await turn();
  expect(dispatcher.stats().queued).toBe(1);
  await items.return?.();
  expect((await settled(next)) && next.value).toEqual({ done: true, value: undefined });
  expect(dispatcher.stats()).toMatchObject({ queued: 0, aborted: 1 });
  transport.at(0).start();
  transport.at(0).answer(1);
  await settled(held);
  await turn();
  expect(transport.at(0).runs).toHaveLength(1);
});

test('a stream that waits for its consumer takes no room, until its worker may go on', async () => {
  const { dispatcher, run, transport, ready } = createPool({ window: 1 });
  await ready();
  const items = streamOf(dispatcher, { window: 2 });
  const first = watch(items.next());
  const calls = [run(1)];
  await turn();
  const worker = transport.at(0);
  worker.start();
  expect(worker.runs).toHaveLength(1);
  for (const value of [1, 2]) worker.emit({ kind: 'item', seq: 1, value });
  await turn();
  expect(first.state).toBe('resolved');
  expect(worker.runs).toHaveLength(1);
  worker.emit({ kind: 'item', seq: 1, value: 3 });
  await turn();
  expect(worker.runs).toHaveLength(2);
  // It goes on: with the call there is no room.
  await items.next();
  calls.push(run(2));
  await turn();
  worker.start();
  worker.answer(2);
  await turn();
  expect(worker.runs).toHaveLength(2);
  worker.answer(1);
  await turn();
  worker.start();
  worker.answer(3);
  await Promise.all(calls.map(settled));
  expect(dispatcher.stats().workers[0]?.inFlight).toBe(0);
  expect((await items.next()).value).toBe(3);
  expect(await items.next()).toEqual({ done: true, value: undefined });
});

test('throw() leaves the stream, and rejects with its error', async () => {
  const { dispatcher, transport, ready } = createPool();
  await ready();
  const items = streamOf(dispatcher);
  const next = watch(items.next());
  await turn();
  transport.at(0).start();
  const error = new Error('thrown');
  await expect(items.throw?.(error)).rejects.toBe(error);
  await turn();
  expect(next.value).toEqual({ done: true, value: undefined });
  expect(transport.at(0).aborts).toMatchObject([
    { seq: 1, reason: { code: 'ERR_CLOSED', message: 'The consumer left the stream of `echo`' } },
  ]);
  transport.at(0).answer(1);
});

test('an end that is not the task’s drops what waits, the task’s own error does not', async () => {
  const { dispatcher, transport, ready } = createPool({ window: 4 });
  await ready();
  const controller = new AbortController();
  const aborted = streamOf(dispatcher, { signal: controller.signal });
  const failed = streamOf(dispatcher);
  const firsts = [watch(aborted.next()), watch(failed.next())];
  await turn();
  const worker = transport.at(0);
  worker.start();
  worker.start();
  for (const seq of [1, 2]) {
    for (const value of [1, 2]) worker.emit({ kind: 'item', seq, value });
  }
  await turn();
  expect(firsts.map(({ value }) => value)).toMatchObject([{ value: 1 }, { value: 1 }]);
  controller.abort('enough');
  worker.emit({ kind: 'failed', seq: 2, error: 'sold out', runMs: 1 });
  await expect(aborted.next()).rejects.toBe('enough');
  expect(await failed.next()).toEqual({ done: false, value: 2 });
  await expect(failed.next()).rejects.toBe('sold out');
  expect(await failed.next()).toEqual({ done: true, value: undefined });
  worker.answer(1);
});

test('drain() and close() of a lent dispatcher are about its own streams', async () => {
  const { pool, dispatcher, transport, ready } = createPool({ window: 4 });
  await ready();
  const lent = pool.lend();
  const [own, other] = [streamOf(lent), streamOf(dispatcher)];
  const nexts = [watch(own.next()), watch(other.next())];
  await turn();
  const drained = watch(lent.drain());
  errorOf(await settled(watch(streamOf(lent).next())), 'ERR_DRAINING');
  await lent.close();
  errorOf(await settled(nexts[0] as never), 'ERR_CLOSED');
  expect((await settled(drained)).value).toEqual({ completed: 0, aborted: 1 });
  const worker = transport.at(0);
  worker.start();
  worker.start();
  worker.answer(1);
  worker.emit({ kind: 'item', seq: 2, value: 'still' });
  await turn();
  expect(nexts[1]?.value).toEqual({ done: false, value: 'still' });
  worker.answer(2);
  expect(await other.next()).toEqual({ done: true, value: undefined });
});

test.each([
  [{ window: 1.5 }, 'Cannot stream task: `window` must be an integer of 1 to 65536, got 1.5'],
  [{ attempt: 2 }, 'Cannot stream task: unknown option `attempt`'],
  [{ retries: 1 }, 'Cannot stream task: `idempotent` must be true with `retries`'],
  [null, 'Cannot stream task: `options` must be an object, got null'],
])('streamOf() refuses the options %j at once', async (options, message) => {
  const { dispatcher } = createPool();
  expect(() => streamOf(dispatcher, options as never)).toThrow(message);
});
