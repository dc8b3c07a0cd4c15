import assert from 'node:assert/strict';
import { turns, until } from '@ticketing/test-kit';
import { rejectedWith, startRun } from '../calls.ts';
import {
  type CaseDraft,
  needsHardKill,
  needsIsolation,
  needsProcess,
  needsSlowStart,
  test,
} from '../conformance-case.ts';
import { isAlive } from '../nothing-left.ts';

/** `close()`, and the states on the way to it. */
export const closeCases: readonly CaseDraft[] = [
  test('the states are starting, ready, draining, closed', async (stage) => {
    const dispatcher = await stage.dispatcher();
    // A dispatcher that is ready by now was starting before `create` resolved.
    const states = needsSlowStart(stage.subject.capabilities) ? ['starting'] : [dispatcher.state];
    await dispatcher.ready();
    states.push(dispatcher.state);
    const draining = dispatcher.drain();
    states.push(dispatcher.state);
    await draining;
    const closing = dispatcher.close();
    states.push(dispatcher.state);
    await closing;
    states.push(dispatcher.state);
    assert.deepEqual(states, ['starting', 'ready', 'draining', 'closed', 'closed']);
  }),
  test(
    'a dispatcher that lost a worker is degraded until it has another',
    needsProcess,
    async (stage) => {
      const dispatcher = await stage.ready();
      const { pid } = await dispatcher.run('tell', undefined);
      await rejectedWith('ERR_WORKER_LOST', dispatcher.run('signalSelf', 'SIGKILL'));
      assert.ok(!isAlive(pid), 'the end of the worker');
      assert.equal(dispatcher.state, 'degraded');
      await dispatcher.ready();
      assert.equal(dispatcher.state, 'ready');
    },
  ),
  test('close() is idempotent, also by Symbol.asyncDispose', async (stage) => {
    const dispatcher = await stage.ready();
    await Promise.all([dispatcher.close(), dispatcher.close()]);
    await dispatcher.close({ graceMs: 0 });
    await dispatcher[Symbol.asyncDispose]();
  }),
  test(
    'close() while workers start rejects waiting calls with ERR_CLOSED, and leaves nothing',
    needsSlowStart,
    async (stage) => {
      const dispatcher = await stage.dispatcher({ max: 2 });
      const waiting = [
        rejectedWith('ERR_CLOSED', dispatcher.ready()),
        rejectedWith('ERR_CLOSED', dispatcher.run('echo', 1)),
        rejectedWith(
          'ERR_CLOSED',
          dispatcher.run('echo', 2, { signal: stage.controller().signal }),
        ),
      ];
      await dispatcher.close();
      await Promise.all(waiting);
    },
  ),
  test('close() a few turns into a start leaves nothing', async (stage) => {
    for (const count of [1, 5, 25, 100]) {
      const dispatcher = await stage.dispatcher({ max: 2 });
      await turns(count);
      await dispatcher.close();
    }
  }),
  test('close() rejects running and queued calls with ERR_CLOSED, and the task’s signal aborts', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 1, abortGraceMs: 60_000 });
    const log = scratch.path('log');
    const held = await startRun(
      dispatcher,
      'hold',
      { log, until: scratch.path('never') },
      { signal: stage.controller().signal, timeoutMs: 60_000 },
    );
    const calls = [
      rejectedWith('ERR_CLOSED', held.answer),
      rejectedWith('ERR_CLOSED', dispatcher.run('mark', { log, mark: 'never' })),
    ];
    await dispatcher.close();
    await Promise.all(calls);
    await scratch.reached('log', 2);
    assert.match(scratch.lines('log')[1] ?? '', /^held aborted/);
    assert.equal(dispatcher.stats().rejected, 2);
  }),
  test(
    'close() ends a worker whose task does not end, after graceMs',
    needsHardKill,
    async (stage) => {
      const dispatcher = await stage.ready({ abortGraceMs: 60_000 });
      const log = stage.scratch.path('log');
      const call = rejectedWith('ERR_CLOSED', dispatcher.run('spin', { log }));
      await stage.scratch.reached('log', 1);
      await dispatcher.close({ graceMs: 20 });
      await call;
    },
  ),
  test('graceMs of close() is the whole time, also for a worker that was stopping before', async (stage) => {
    const log = stage.scratch.path('log');
    const module = stage.plannedModule({ log, hangs: true });
    const dispatcher = await stage.ready({ abortGraceMs: 60_000 }, module);
    await dispatcher.reload();
    await until(() => stage.scratch.lines('log').includes('teardown'), 'a worker that stops');
    await dispatcher.close({ graceMs: 20 });
    assert.equal(dispatcher.stats().workers.length, 0);
  }),
  test('after close() calls reject with ERR_CLOSED, none throws', async (stage) => {
    const dispatcher = await stage.ready();
    await dispatcher.close();
    await rejectedWith('ERR_CLOSED', dispatcher.run('echo', 1));
    await rejectedWith('ERR_CLOSED', dispatcher.ready());
    await rejectedWith('ERR_CLOSED', dispatcher.reload());
    await rejectedWith('ERR_CLOSED', dispatcher.capacity());
    assert.equal(dispatcher.state, 'closed');
  }),
  test('close() after drain() ends what drain() waits for', async (stage) => {
    const dispatcher = await stage.ready();
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('never') });
    const draining = dispatcher.drain();
    const call = rejectedWith('ERR_CLOSED', held.answer);
    await dispatcher.close();
    await call;
    const { completed, aborted } = await draining;
    assert.equal(completed + aborted, 1);
  }),
  test(
    'close() waits until a worker ends by itself, also one whose module replaces process.exit',
    needsIsolation,
    async (stage) => {
      const log = stage.scratch.path('log');
      const dispatcher = await stage.ready({}, stage.plannedModule({ log, replacesExit: true }));
      assert.equal(await dispatcher.run('echo', 1), 1);
      let isClosed = false;
      // Longer than the case may take: nothing kills the worker.
      const closing = dispatcher.close({ graceMs: 2 * stage.longestMs }).then(() => {
        isClosed = true;
      });
      const exits = () => stage.scratch.lines('log').filter((line) => line.startsWith('exit'));
      const what = 'the end of the worker';
      await until(() => isClosed || exits().length > 0, what, stage.longestMs);
      assert.deepEqual(exits(), [], 'calls of the function that replaced process.exit');
      await closing;
    },
  ),
  test('close() as an idle worker dies leaves nothing', needsProcess, async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const { pid } = await dispatcher.run('tell', undefined);
    process.kill(pid, 'SIGKILL');
    await dispatcher.close();
  }),
];

/** `drain()`. */
export const drainCases: readonly CaseDraft[] = [
  test('drain() waits for running and queued calls, takes no more, and reports', async (stage) => {
    const dispatcher = await stage.ready({ window: 1 });
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const queued = [dispatcher.run('echo', 1), dispatcher.run('echo', 2)];
    let isDrained = false;
    const draining = dispatcher.drain().then((report) => {
      isDrained = true;
      return report;
    });
    assert.equal(dispatcher.state, 'draining');
    const error = await rejectedWith('ERR_DRAINING', dispatcher.run('echo', 3));
    assert.equal(error.data.task, 'echo');
    await turns();
    assert.equal(isDrained, false, 'drained before its calls have settled');
    stage.scratch.touch('go');
    assert.deepEqual(await draining, { completed: 3, aborted: 0 });
    assert.deepEqual(await Promise.all([held.answer, ...queued]), ['held', 1, 2]);
    await rejectedWith('ERR_DRAINING', dispatcher.run('echo', 4));
    assert.equal(dispatcher.state, 'draining');
  }),
  test('drain() of an idle dispatcher resolves at once', async (stage) => {
    const dispatcher = await stage.ready();
    assert.deepEqual(await dispatcher.drain(), { completed: 0, aborted: 0 });
  }),
  test('drain() with timeoutMs aborts calls that still run or wait', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ window: 1, clock });
    const log = scratch.path('log');
    const input = { log, until: scratch.path('never') };
    const held = await startRun(dispatcher, 'hold', input);
    const calls = [
      rejectedWith('ERR_DRAINING', held.answer),
      rejectedWith('ERR_DRAINING', dispatcher.run('mark', { log, mark: 'never' })),
    ];
    const draining = dispatcher.drain({ timeoutMs: 100 });
    clock.advance(100);
    assert.deepEqual(await draining, { completed: 0, aborted: 2 });
    await Promise.all(calls);
    await scratch.reached('log', 2);
    assert.equal(scratch.lines('log').includes('never'), false);
  }),
  test('drain() is idempotent', async (stage) => {
    const dispatcher = await stage.ready();
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const reports = Promise.all([dispatcher.drain(), dispatcher.drain()]);
    stage.scratch.touch('go');
    await held.answer;
    assert.deepEqual(await reports, [
      { completed: 1, aborted: 0 },
      { completed: 1, aborted: 0 },
    ]);
  }),
];
