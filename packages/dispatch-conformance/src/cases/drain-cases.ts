import assert from 'node:assert/strict';
import { turns } from '@ticketing/test-kit';
import type { CaseDraft } from '../conformance-case.ts';
import { rejectedWith } from '../rejected.ts';
import { startRun } from '../started-run.ts';

/** `drain()`. */
export const drainCases: readonly CaseDraft[] = [
  {
    name: 'drain() waits for what runs and what is queued, takes no more, and reports',
    async act(stage) {
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
    },
  },
  {
    name: 'drain() of an idle dispatcher resolves at once',
    async act(stage) {
      const dispatcher = await stage.ready();
      assert.deepEqual(await dispatcher.drain(), { completed: 0, aborted: 0 });
    },
  },
  {
    name: 'drain() with timeoutMs aborts what still runs and what still waits',
    async act(stage) {
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
    },
  },
  {
    name: 'drain() twice is one',
    async act(stage) {
      const dispatcher = await stage.ready();
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
      const reports = Promise.all([dispatcher.drain(), dispatcher.drain()]);
      stage.scratch.touch('go');
      await held.answer;
      assert.deepEqual(await reports, [
        { completed: 1, aborted: 0 },
        { completed: 1, aborted: 0 },
      ]);
    },
  },
];
