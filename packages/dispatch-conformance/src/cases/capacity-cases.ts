import assert from 'node:assert/strict';
import { turns } from '@ticketing/test-kit';
import type { CaseDraft } from '../conformance-case.ts';
import { rejected, rejectedWith } from '../rejected.ts';
import { startRun } from '../started-run.ts';

/** `capacity()`: waiting for room instead of being rejected. */
export const capacityCases: readonly CaseDraft[] = [
  {
    name: 'capacity() resolves at once while there is room',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
      await dispatcher.capacity();
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
      await dispatcher.capacity();
      stage.scratch.touch('go');
      await held.answer;
    },
  },
  {
    name: 'capacity() waits while the queue is full, and the call after it is taken',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
      const queued = dispatcher.run('echo', 'queued');
      let isRoom = false;
      const room = dispatcher.capacity().then(() => {
        isRoom = true;
        return dispatcher.run('echo', 'after');
      });
      await turns();
      assert.equal(isRoom, false, 'no room while the queue is full');
      stage.scratch.touch('go');
      assert.deepEqual(await Promise.all([held.answer, queued, room]), ['held', 'queued', 'after']);
    },
  },
  {
    name: 'a producer that waits for capacity() never meets ERR_QUEUE_FULL',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 2, maxQueue: 1 });
      const answers: Promise<number>[] = [];
      for (let a = 0; a < 100; a += 1) {
        await dispatcher.capacity();
        answers.push(dispatcher.run('add', { a, b: 0 }));
      }
      assert.equal((await Promise.all(answers)).length, 100);
    },
  },
  {
    name: 'several producers are let in as there is room for them',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
      const produce = async (): Promise<void> => {
        for (let a = 0; a < 20; a += 1) {
          await dispatcher.capacity();
          await dispatcher.run('add', { a, b: 0 });
        }
      };
      await Promise.all([produce(), produce(), produce(), produce()]);
      assert.equal(dispatcher.stats().completed, 80);
    },
  },
  {
    name: 'capacity() rejects with the reason of its signal, before and while it waits',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
      const reason = { why: 'no time' };
      const controller = stage.controller();
      const waiting = rejected(dispatcher.capacity(controller.signal));
      controller.abort(reason);
      assert.equal(await waiting, reason);
      assert.equal(await rejected(dispatcher.capacity(controller.signal)), reason);
      stage.scratch.touch('go');
      await held.answer;
    },
  },
  {
    name: 'capacity() leaves no listener on its signal when there is room again',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
      const room = dispatcher.capacity(stage.controller().signal);
      stage.scratch.touch('go');
      await Promise.all([held.answer, room]);
    },
  },
  {
    name: 'capacity() rejects ERR_CLOSED after close() and when close() comes',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('never') });
      const waiting = rejectedWith('ERR_CLOSED', dispatcher.capacity(stage.controller().signal));
      await dispatcher.close({ graceMs: 0 });
      await waiting;
      await rejectedWith('ERR_CLOSED', dispatcher.capacity());
      await rejectedWith('ERR_CLOSED', held.answer);
    },
  },
];
