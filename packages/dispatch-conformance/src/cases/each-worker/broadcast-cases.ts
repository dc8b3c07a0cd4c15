import assert from 'node:assert/strict';
import type { Dispatcher } from '@ticketing/dispatch';
import { until } from '@ticketing/test-kit';
import { rejected, rejectedWith, startRun } from '../../calls.ts';
import { type CaseDraft, needsIsolation, test } from '../../conformance-case.ts';
import type { ConformanceTasks } from '../../conformance-task-map.ts';

/** `broadcast()`. */
export const broadcastCases: readonly CaseDraft[] = [
  test('a task runs once on each worker, and each outcome has the worker', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ max: 3 });
    const input = { log: scratch.path('log'), mark: 'ran', value: 1 };
    const outcomes = await dispatcher.broadcast('remember', input);
    assert.deepEqual(
      outcomes.map(({ workerId, slot }) => ({ workerId, slot })),
      workersOf(dispatcher),
    );
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'fulfilled', 'an answer');
      assert.equal(outcome.value, 'ran');
    }
    assert.deepEqual(scratch.lines('log'), ['ran', 'ran', 'ran']);
    const told = await dispatcher.broadcast('tell');
    for (const outcome of told) {
      assert.equal(outcome.status === 'fulfilled' && outcome.value.workerId, outcome.workerId);
    }
  }),
  test('a task that throws is the outcome of its worker, and a broadcast counts nowhere', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const outcomes = await dispatcher.broadcast('fail', 'type');
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    for (const outcome of outcomes) {
      assert.match(String(outcome.status === 'rejected' && outcome.reason), /of a built-in class/);
    }
    const { asked, failed } = dispatcher.stats();
    assert.deepEqual([asked, failed], [0, 0]);
  }),
  test('a full worker runs it after what it has, within timeoutMs', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 1 });
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    const [late] = await dispatcher.broadcast('tell', undefined, { timeoutMs: 30 });
    assert.ok(late?.status === 'rejected', 'no answer in time');
    assert.equal((late.reason as { code?: unknown }).code, 'ERR_TIMEOUT');
    const told = dispatcher.broadcast('tell', undefined);
    scratch.touch('go');
    const [outcome] = await told;
    assert.equal(outcome?.status, 'fulfilled');
    assert.equal(await held.answer, 'held');
  }),
  test('with later a worker that starts runs it once, before it takes calls', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ max: 2 });
    const input = { log: scratch.path('log'), mark: 'ran', value: 'kept' };
    assert.equal((await dispatcher.broadcast('remember', input, { later: true })).length, 2);
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        assert.equal(await dispatcher.run('recall'), 'kept');
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    });
    await dispatcher.reload();
    isOver = true;
    await Promise.all(load);
    assert.equal(scratch.lines('log').length, 4);
    assert.equal(dispatcher.stats().lost, 0);
  }),
  test('with later workers that are not ready yet run it too, and each once', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.dispatcher({ max: 2 });
    const input = { log: scratch.path('log'), mark: 'ran', value: 'early' };
    const told = dispatcher.broadcast('remember', input, { later: true });
    assert.equal(await dispatcher.run('recall'), 'early');
    await dispatcher.ready();
    await told;
    assert.equal(scratch.lines('log').length, 2);
  }),
  test('without later a worker that starts does not run it', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const input = { log: scratch.path('log'), mark: 'ran', value: 0 };
    await dispatcher.broadcast('remember', input);
    await dispatcher.reload();
    assert.equal(await dispatcher.run('echo', 1), 1);
    assert.equal(scratch.lines('log').length, 1);
  }),
  test('of each task the latest is kept, until its signal aborts', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const controller = stage.controller();
    const log = scratch.path('log');
    const { signal } = controller;
    await dispatcher.broadcast('remember', { log, mark: 'first', value: 1 }, { later: true });
    await dispatcher.broadcast(
      'remember',
      { log, mark: 'second', value: 2 },
      { later: true, signal },
    );
    await dispatcher.broadcast('mark', { log, mark: 'other' }, { later: true });
    await dispatcher.reload();
    assert.deepEqual(scratch.lines('log'), ['first', 'second', 'other', 'second', 'other']);
    assert.equal(await dispatcher.run('recall'), 2);
    controller.abort();
    await dispatcher.reload();
    assert.deepEqual(scratch.lines('log').slice(5), ['other']);
  }),
  test('with later a task that fails is a failed start: the old worker stays', async (stage) => {
    const dispatcher = await stage.ready();
    const before = workersOf(dispatcher);
    const controller = stage.controller();
    const options = { later: true, signal: controller.signal };
    const [outcome] = await dispatcher.broadcast('fail', 'type', options);
    assert.equal(outcome?.status, 'rejected');
    assert.match(String(await rejected(dispatcher.reload())), /of a built-in class/);
    assert.deepEqual(workersOf(dispatcher), before);
    controller.abort();
    await dispatcher.reload();
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test(
    'a worker that takes the place of a lost one runs what is kept',
    needsIsolation,
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const input = { log: scratch.path('log'), mark: 'ran', value: 'again' };
      await dispatcher.broadcast('remember', input, { later: true });
      await rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }));
      assert.equal(await dispatcher.run('recall'), 'again');
      assert.equal(scratch.lines('log').length, 2);
    },
  ),
  test('close() while a worker runs what is kept leaves nothing', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const hold = { log: scratch.path('log'), until: scratch.path('go') };
    const first = dispatcher.broadcast('hold', hold, { later: true });
    const reloading = rejected(dispatcher.reload());
    await until(() => scratch.lines('log').length >= 2, 'both workers hold');
    await dispatcher.close();
    assert.equal(((await reloading) as { code?: unknown }).code, 'ERR_CLOSED');
    const [outcome] = await first;
    assert.equal(outcome?.status, 'rejected');
  }),
  test('wrong options, an unknown task, and one after drain() or close() reject', async (stage) => {
    const dispatcher = await stage.ready();
    for (const options of [{ later: 1 }, { key: 'a' }, { retries: 1 }, { timeoutMs: 'soon' }]) {
      const error = await rejected(dispatcher.broadcast('echo', 1, options as never));
      assert.ok(error instanceof TypeError, `a TypeError, got ${error}`);
    }
    await rejectedWith('ERR_UNKNOWN_TASK', dispatcher.broadcast('nothing' as 'echo', 1));
    await dispatcher.drain();
    await rejectedWith('ERR_DRAINING', dispatcher.broadcast('echo', 1));
    await dispatcher.close();
    await rejectedWith('ERR_CLOSED', dispatcher.broadcast('echo', 1));
  }),
];

function workersOf(
  dispatcher: Dispatcher<ConformanceTasks>,
): readonly { readonly workerId: number; readonly slot: number }[] {
  return dispatcher
    .stats()
    .workers.map(({ workerId, slot }) => ({ workerId, slot }))
    .sort((one, other) => one.slot - other.slot);
}
