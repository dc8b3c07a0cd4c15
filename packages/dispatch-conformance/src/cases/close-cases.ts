import assert from 'node:assert/strict';
import { turns } from '@ticketing/test-kit';
import {
  type CaseDraft,
  needsHardKill,
  needsProcess,
  needsSlowStart,
} from '../conformance-case.ts';
import { isAlive } from '../nothing-left.ts';
import { rejectedWith } from '../rejected.ts';
import { startRun } from '../started-run.ts';

/** `close()`, and the states on the way to it. */
export const closeCases: readonly CaseDraft[] = [
  {
    name: 'the states are starting, ready, draining, closed',
    async act(stage) {
      const dispatcher = await stage.dispatcher();
      // One that is ready by now was starting before its maker could give it.
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
    },
  },
  {
    name: 'a dispatcher that lost a worker is degraded until it has another',
    unless: needsProcess,
    async act(stage) {
      const dispatcher = await stage.ready();
      const { pid } = await dispatcher.run('tell', undefined);
      await rejectedWith('ERR_WORKER_LOST', dispatcher.run('signalSelf', 'SIGKILL'));
      assert.ok(!isAlive(pid), 'the end of the worker');
      assert.equal(dispatcher.state, 'degraded');
      await dispatcher.ready();
      assert.equal(dispatcher.state, 'ready');
    },
  },
  {
    name: 'close() twice is one, also by Symbol.asyncDispose',
    async act(stage) {
      const dispatcher = await stage.ready();
      await Promise.all([dispatcher.close(), dispatcher.close()]);
      await dispatcher.close({ graceMs: 0 });
      await dispatcher[Symbol.asyncDispose]();
    },
  },
  {
    name: 'close() while workers start rejects what waits with ERR_CLOSED, and leaves nothing',
    unless: needsSlowStart,
    async act(stage) {
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
  },
  {
    name: 'close() a few turns into a start leaves nothing',
    async act(stage) {
      for (const count of [1, 5, 25, 100]) {
        const dispatcher = await stage.dispatcher({ max: 2 });
        await turns(count);
        await dispatcher.close();
      }
    },
  },
  {
    name: 'close() rejects what runs and what is queued with ERR_CLOSED, and the task’s signal aborts',
    async act(stage) {
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
    },
  },
  {
    name: 'close() ends a worker whose task does not end, after graceMs',
    unless: needsHardKill,
    async act(stage) {
      const dispatcher = await stage.ready({ abortGraceMs: 60_000 });
      const log = stage.scratch.path('log');
      const call = rejectedWith('ERR_CLOSED', dispatcher.run('spin', { log }));
      await stage.scratch.reached('log', 1);
      await dispatcher.close({ graceMs: 20 });
      await call;
    },
  },
  {
    name: 'after close() calls reject with ERR_CLOSED, none throws',
    async act(stage) {
      const dispatcher = await stage.ready();
      await dispatcher.close();
      await rejectedWith('ERR_CLOSED', dispatcher.run('echo', 1));
      await rejectedWith('ERR_CLOSED', dispatcher.ready());
      await rejectedWith('ERR_CLOSED', dispatcher.reload());
      await rejectedWith('ERR_CLOSED', dispatcher.capacity());
      assert.equal(dispatcher.state, 'closed');
    },
  },
  {
    name: 'close() after drain() ends what drain() waits for',
    async act(stage) {
      const dispatcher = await stage.ready();
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('never') });
      const draining = dispatcher.drain();
      const call = rejectedWith('ERR_CLOSED', held.answer);
      await dispatcher.close();
      await call;
      const { completed, aborted } = await draining;
      assert.equal(completed + aborted, 1);
    },
  },
  {
    name: 'close() as an idle worker dies leaves nothing',
    unless: needsProcess,
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      const { pid } = await dispatcher.run('tell', undefined);
      process.kill(pid, 'SIGKILL');
      await dispatcher.close();
    },
  },
];
