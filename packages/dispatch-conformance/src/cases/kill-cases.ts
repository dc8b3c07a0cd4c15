import assert from 'node:assert/strict';
import { turns, until } from '@ticketing/test-kit';
import {
  type CaseDraft,
  needsHardKill,
  needsIsolation,
  needsProcess,
} from '../conformance-case.ts';
import { rejected, rejectedWith } from '../rejected.ts';
import { startRun } from '../started-run.ts';

/** Tasks that do not end when they are told to. */
export const killCases: readonly CaseDraft[] = [
  {
    name: 'a task that ignores its signal does not keep its caller, nor the next call',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, abortGraceMs: 20 });
      const controller = stage.controller();
      const { answer } = await startRun(dispatcher, 'ignoreAbort', undefined, {
        signal: controller.signal,
      });
      const reason = new Error('enough');
      controller.abort(reason);
      assert.equal(await rejected(answer), reason);
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'a task that ignores its signal for abortGraceMs has its worker killed and replaced',
    unless: needsHardKill,
    async act(stage) {
      const dispatcher = await stage.ready({ abortGraceMs: 200, clock: stage.clock });
      const before = await dispatcher.run('tell', undefined);
      const controller = stage.controller();
      const { answer } = await startRun(dispatcher, 'ignoreAbort', undefined, {
        signal: controller.signal,
      });
      controller.abort();
      await rejected(answer);
      stage.clock.advance(199);
      assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
      assert.equal(dispatcher.stats().killed, 0);
      stage.clock.advance(1);
      assert.equal(dispatcher.stats().killed, 1);
      const after = await dispatcher.run('tell', undefined);
      assert.notEqual(after.workerId, before.workerId);
      assert.equal(dispatcher.stats().spawned, 2);
    },
  },
  {
    name: 'a task in a loop without end has its worker killed and replaced',
    unless: needsHardKill,
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ abortGraceMs: 20 });
      const controller = stage.controller();
      const log = scratch.path('log');
      const call = rejected(dispatcher.run('spin', { log }, { signal: controller.signal }));
      await scratch.reached('log', 1);
      const reason = new Error('enough');
      controller.abort(reason);
      assert.equal(await call, reason);
      assert.equal(await dispatcher.run('echo', 1), 1);
      assert.equal(dispatcher.stats().killed, 1);
    },
  },
  {
    name: 'a task that ends within its grace keeps its worker',
    unless: needsIsolation,
    async act(stage) {
      const { scratch, clock } = stage;
      const dispatcher = await stage.ready({ abortGraceMs: 50, clock });
      const log = scratch.path('log');
      const controller = stage.controller();
      const call = rejected(
        dispatcher.run(
          'block',
          { log, mark: 'blocks', until: scratch.path('go') },
          { signal: controller.signal },
        ),
      );
      await scratch.reached('log', 1);
      controller.abort();
      await call;
      scratch.touch('go');
      assert.equal(await dispatcher.run('echo', 1), 1);
      clock.advance(1000);
      const { killed, spawned } = dispatcher.stats();
      assert.deepEqual({ killed, spawned }, { killed: 0, spawned: 1 });
    },
  },
  {
    name: 'a task that was only held up by another does not cost its worker',
    unless: needsIsolation,
    async act(stage) {
      const { scratch, clock } = stage;
      const dispatcher = await stage.ready({ abortGraceMs: 1, window: 2, clock });
      const log = scratch.path('log');
      const blocked = dispatcher.run('block', { log, mark: 'blocks', until: scratch.path('go') });
      const controller = stage.controller();
      const sent = rejected(
        dispatcher.run('mark', { log, mark: 'never' }, { signal: controller.signal }),
      );
      await scratch.reached('log', 1);
      controller.abort();
      await sent;
      // Its grace is over more than once.
      clock.advance(100);
      await turns();
      assert.equal(dispatcher.stats().killed, 0);
      scratch.touch('go');
      await blocked;
      assert.equal(await dispatcher.run('echo', 1), 1);
      assert.deepEqual(scratch.lines('log'), ['blocks']);
    },
  },
  {
    name: 'of the tasks on a killed worker those that had started are lost, the others run elsewhere',
    unless: needsHardKill,
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ abortGraceMs: 10, window: 4 });
      const beside = await startRun(dispatcher, 'hold', { until: scratch.path('never') });
      const log = scratch.path('log');
      const controller = stage.controller();
      const call = rejected(dispatcher.run('spin', { log }, { signal: controller.signal }));
      const behind = dispatcher.run('mark', { log, mark: 'behind' });
      await scratch.reached('log', 1);
      controller.abort();
      await call;
      await rejectedWith('ERR_WORKER_LOST', beside.answer);
      assert.equal(await behind, 'behind');
      assert.deepEqual(scratch.lines('log'), ['spun', 'behind']);
    },
  },
  {
    name: 'a stopped process has its worker killed and replaced',
    unless: needsProcess,
    async act(stage) {
      const dispatcher = await stage.ready({ abortGraceMs: 20 });
      const { pid } = await dispatcher.run('tell', undefined);
      await rejectedWith(
        'ERR_RUN_TIMEOUT',
        dispatcher.run('signalSelf', 'SIGSTOP', { runTimeoutMs: 100 }),
      );
      assert.notEqual((await dispatcher.run('tell', undefined)).pid, pid);
      assert.equal(dispatcher.stats().killed, 1);
    },
  },
  {
    name: 'a worker that is stopped while idle is found out by its health, and replaced',
    unless: needsProcess,
    async act(stage) {
      const dispatcher = await stage.ready({ healthMs: 100 });
      const { pid } = await dispatcher.run('tell', undefined);
      process.kill(pid, 'SIGSTOP');
      await until(() => dispatcher.stats().recycled === 1, 'another worker');
      assert.notEqual((await dispatcher.run('tell', undefined)).pid, pid);
    },
  },
];
