import assert from 'node:assert/strict';
import { until } from '@ticketing/test-kit';
import { coded, rejected, rejectedWith } from '../../calls.ts';
import {
  type CaseDraft,
  needsHardKill,
  needsIsolation,
  needsStreams,
  test,
} from '../../conformance-case.ts';
import { needsStreamsAnd, numbers, read } from './read-items.ts';

/** Ends of `stream()`. */
export const streamEndCases: readonly CaseDraft[] = [
  test(
    'a consumer that leaves the loop stops the generator, whose finally runs',
    needsStreams,
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      for await (const item of dispatcher.stream('items', { log: scratch.path('log') })) {
        if (item === 3) break;
      }
      await until(() => scratch.lines('log').at(-1) === 'ended');
      assert.ok(scratch.lines('log').length <= 2 + 3 + 16, 'no item beyond the window');
      assert.equal(await dispatcher.run('echo', 1), 1);
      const { aborted, killed, running } = dispatcher.stats();
      assert.deepEqual([aborted, killed, running], [1, 0, 0]);
    },
  ),
  test(
    'a consumer that leaves while it waits ends a task that waits too, by its signal',
    needsStreams,
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const items = dispatcher.stream('items', { log: scratch.path('log'), waitsAt: 2 });
      assert.equal((await items.next()).value, 1);
      const second = items.next();
      await dispatcher.run('echo', 1);
      await items.return?.();
      assert.deepEqual(await second, { done: true, value: undefined });
      await until(() => scratch.lines('log').at(-1) === 'ended');
      assert.equal(dispatcher.stats().killed, 0);
    },
  ),
  test(
    'a task that does not end when its consumer leaves is killed after abortGraceMs',
    needsStreamsAnd(needsHardKill),
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ abortGraceMs: 30 });
      const plan = { log: scratch.path('log'), waitsAt: 2, hangs: true };
      const items = dispatcher.stream('items', plan);
      assert.equal((await items.next()).value, 1);
      // A generator at its first `yield` could still be ended, so the case waits until it hangs.
      await until(() => scratch.lines('log').at(-1) === 'waits');
      await items.return?.();
      await until(() => dispatcher.stats().killed === 1);
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  ),
  test(
    'an abort rejects with its reason at once, and once, and stops the generator',
    needsStreams,
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const controller = stage.controller();
      const reason = new Error('enough');
      const { signal } = controller;
      const items = dispatcher.stream('items', { log: scratch.path('log') }, { signal });
      assert.equal((await items.next()).value, 1);
      await scratch.reached('log', 1 + 16);
      controller.abort(reason);
      assert.equal(await rejected(items.next()), reason);
      assert.deepEqual(await items.next(), { done: true, value: undefined });
      await until(() => scratch.lines('log').at(-1) === 'ended');
      const late = dispatcher.stream('items', {}, { signal });
      assert.equal(await rejected(late.next()), reason);
    },
  ),
  test('timeoutMs limits the whole stream', needsStreams, async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const items = dispatcher.stream('items', { log: scratch.path('log') }, { timeoutMs: 100 });
    const { error } = await read(items);
    coded('ERR_TIMEOUT', error);
    if (scratch.lines('log').length > 0) {
      await until(() => scratch.lines('log').at(-1) === 'ended');
    }
    assert.equal(dispatcher.stats().aborted, 1);
  }),
  test('what a generator throws comes after its items, once', needsStreams, async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const items = dispatcher.stream('items', { log: scratch.path('log'), throwsAt: 5 });
    const { got, error } = await read(items);
    assert.deepEqual(got, numbers(4));
    assert.deepEqual(
      [(error as Error).message, (error as { code?: unknown }).code],
      ['sold out', 'ESOLD'],
    );
    assert.deepEqual(await items.next(), { done: true, value: undefined });
    assert.equal(scratch.lines('log').at(-1), 'ended');
    assert.equal(dispatcher.stats().failed, 1);
  }),
  test(
    'a worker that is lost mid-stream rejects once, and nothing runs again',
    needsStreamsAnd(needsIsolation),
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const plan = { log: scratch.path('log'), exitsAt: 9 };
      const options = { window: 2, idempotent: true, retries: 3 };
      const items = dispatcher.stream('items', plan, options);
      const { got, error } = await read(items);
      coded('ERR_WORKER_LOST', error);
      assert.deepEqual(got, numbers(got.length));
      assert.ok(got.length >= 5 && got.length <= 8, `${got.length} items`);
      assert.deepEqual(await items.next(), { done: true, value: undefined });
      assert.deepEqual(await read(dispatcher.stream('items', { count: 2 })), {
        got: [1, 2],
        error: undefined,
      });
      const begun = scratch.lines('log').filter((line) => line.startsWith('begun'));
      assert.deepEqual(begun, ['begun 1']);
    },
  ),
  test(
    'a worker that is lost before the first item: the next one begins again, with idempotent and retries',
    needsStreamsAnd(needsIsolation),
    async (stage) => {
      const dispatcher = await stage.ready();
      const plan = { exitsAt: 1, firstOnly: true, count: 40 };
      const again = dispatcher.stream('items', plan, { idempotent: true, retries: 1 });
      assert.deepEqual(await read(again), { got: numbers(40), error: undefined });
      const once = dispatcher.stream('items', plan);
      coded('ERR_WORKER_LOST', (await read(once)).error);
    },
  ),
  test('drain() lets a stream end, and a new one is refused', needsStreams, async (stage) => {
    const dispatcher = await stage.ready();
    const items = dispatcher.stream('items', { count: 50 });
    assert.equal((await items.next()).value, 1);
    const report = dispatcher.drain();
    await rejectedWith('ERR_DRAINING', dispatcher.stream('items', { count: 1 }).next());
    assert.deepEqual(await read(items), { got: numbers(50).slice(1), error: undefined });
    assert.deepEqual(await report, { completed: 1, aborted: 0 });
  }),
  test('close() rejects a stream, and stops its generator', needsStreams, async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const items = dispatcher.stream('items', { log: scratch.path('log') });
    assert.equal((await items.next()).value, 1);
    await dispatcher.close();
    await rejectedWith('ERR_CLOSED', items.next());
    assert.deepEqual(await items.next(), { done: true, value: undefined });
    assert.equal(scratch.lines('log').at(-1), 'ended');
    await rejectedWith('ERR_CLOSED', dispatcher.stream('items', {}).next());
  }),
];
