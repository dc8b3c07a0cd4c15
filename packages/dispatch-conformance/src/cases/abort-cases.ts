import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { turns } from '@ticketing/test-kit';
import { rejected, startRun } from '../calls.ts';
import { type CaseDraft, needsIsolation, test } from '../conformance-case.ts';

/** Signals of callers, where the task ends by itself or never began. */
export const abortCases: readonly CaseDraft[] = [
  test('a signal that is aborted already rejects with its reason, and nothing starts', async (stage) => {
    const dispatcher = await stage.ready();
    const reason = new Error('too late');
    const call = dispatcher.run(
      'mark',
      { log: stage.scratch.path('log'), mark: 'ran' },
      { signal: AbortSignal.abort(reason) },
    );
    assert.equal(await rejected(call), reason);
    await dispatcher.run('echo', 1);
    assert.deepEqual(stage.scratch.lines('log'), []);
    assert.equal(dispatcher.stats().aborted, 1);
  }),
  test('abort while queued rejects with the same reason, frees its place in the queue, and nothing starts', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    const controller = stage.controller();
    const log = scratch.path('log');
    const call = rejected(
      dispatcher.run('mark', { log, mark: 'aborted' }, { signal: controller.signal }),
    );
    const reason = { toString: () => 'an object of its own' };
    controller.abort(reason);
    assert.equal(await call, reason);
    assert.equal(dispatcher.stats().queued, 0, 'calls that wait');
    const next = dispatcher.run('mark', { log, mark: 'next' });
    scratch.touch('go');
    await Promise.all([held.answer, next]);
    assert.deepEqual(scratch.lines('log'), ['next']);
  }),
  test(
    'abort of a task that was sent and has not started rejects at once, and it never starts',
    needsIsolation,
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 4 });
      const log = scratch.path('log');
      const until = scratch.path('go');
      const blocked = dispatcher.run('block', { log, mark: 'blocks', until });
      const controller = stage.controller();
      const reason = new Error('not any more');
      const sent = rejected(
        dispatcher.run('mark', { log, mark: 'aborted' }, { signal: controller.signal }),
      );
      const other = dispatcher.run('mark', { log, mark: 'other' });
      await scratch.reached('log', 1);
      assert.equal(dispatcher.stats().workers[0]?.inFlight, 3, 'tasks that the worker was given');
      controller.abort(reason);
      assert.equal(await sent, reason);
      await turns();
      scratch.touch('go');
      await Promise.all([blocked, other]);
      assert.equal(await dispatcher.run('echo', 1), 1);
      assert.deepEqual(scratch.lines('log'), ['blocks', 'other']);
      assert.equal(dispatcher.stats().killed, 0);
    },
  ),
  test('abort while running rejects at once, the task’s signal aborts, and the worker stays', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const before = await dispatcher.run('tell', undefined);
    const controller = stage.controller();
    const log = scratch.path('log');
    const input = { log, mark: 'held', until: scratch.path('never') };
    const { answer } = await startRun(dispatcher, 'hold', input, { signal: controller.signal });
    const reason = new Error('no more');
    controller.abort(reason);
    assert.equal(await rejected(answer), reason);
    await scratch.reached('log', 2);
    assert.deepEqual(scratch.lines('log'), ['held', 'held aborted: no more']);
    assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    const { aborted, killed, lost } = dispatcher.stats();
    assert.deepEqual({ aborted, killed, lost }, { aborted: 1, killed: 0, lost: 0 });
  }),
  test('the reason may be anything: the default, undefined, a text, null', async (stage) => {
    const dispatcher = await stage.ready();
    for (const reason of [undefined, 'a text', null, 0]) {
      const controller = stage.controller();
      const { answer } = await startRun(
        dispatcher,
        'hold',
        { until: stage.scratch.path('never') },
        { signal: controller.signal },
      );
      controller.abort(reason);
      assert.equal(await rejected(answer), controller.signal.reason);
    }
  }),
  test('a reason that cannot be cloned still reaches the caller, and the task is aborted', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const controller = stage.controller();
    const log = scratch.path('log');
    const { answer } = await startRun(
      dispatcher,
      'hold',
      { log, until: scratch.path('never') },
      { signal: controller.signal },
    );
    const reason = { call: () => 1 };
    controller.abort(reason);
    assert.equal(await rejected(answer), reason);
    await scratch.reached('log', 2);
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test('abort after the answer changes nothing', async (stage) => {
    const dispatcher = await stage.ready();
    const controller = stage.controller();
    assert.equal(await dispatcher.run('echo', 1, { signal: controller.signal }), 1);
    controller.abort();
    await turns();
    assert.equal(await dispatcher.run('echo', 2), 2);
    assert.equal(dispatcher.stats().aborted, 0);
  }),
  test('10,000 calls on one signal leak no listeners, and leave none', async (stage) => {
    const dispatcher = await stage.ready({ maxQueue: 10_000 });
    const { signal } = stage.controller();
    const calls = Array.from({ length: 10_000 }, (_, a) =>
      dispatcher.run('add', { a, b: 0 }, { signal }),
    );
    const answers = await Promise.all(calls);
    assert.equal(answers.at(-1), 9999);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  }),
  test('one abort ends all calls of a signal, each with its reason', async (stage) => {
    const dispatcher = await stage.ready({ window: 2 });
    const controller = stage.controller();
    const { signal } = controller;
    const until = stage.scratch.path('never');
    const { answer } = await startRun(dispatcher, 'hold', { until }, { signal });
    const calls = [
      answer,
      ...Array.from({ length: 500 }, () => dispatcher.run('hold', { until }, { signal })),
    ].map(rejected);
    const reason = new Error('all of them');
    controller.abort(reason);
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([reason]));
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
];
