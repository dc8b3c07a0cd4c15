import assert from 'node:assert/strict';
import { until } from '@ticketing/test-kit';
import type { CaseDraft } from '../conformance-case.ts';

/** Workers that are replaced though nothing is wrong with them, or because they say so. */
export const recycleCases: readonly CaseDraft[] = [
  {
    name: 'a worker is replaced after so many tasks, and no call fails',
    async act(stage) {
      const dispatcher = await stage.ready({ recycle: { tasks: 5, jitter: 0 } });
      const workers = new Set<number>();
      await until(async () => {
        workers.add((await dispatcher.run('tell', undefined)).workerId);
        return workers.size >= 3;
      }, 'three workers');
      const { failed, rejected, lost, recycled } = dispatcher.stats();
      assert.deepEqual({ failed, rejected, lost }, { failed: 0, rejected: 0, lost: 0 });
      assert.ok(recycled >= 2, `${recycled} recycled`);
    },
  },
  {
    name: 'a worker is replaced after so long',
    async act(stage) {
      const { clock } = stage;
      const recycle = { ageMs: 30, jitter: 0 };
      const dispatcher = await stage.ready({ healthMs: 30, recycle, clock });
      const before = await dispatcher.run('tell', undefined);
      clock.advance(30);
      await until(async () => {
        return (await dispatcher.run('tell', undefined)).workerId !== before.workerId;
      }, 'another worker');
      assert.equal(dispatcher.stats().recycled, 1);
      assert.equal(dispatcher.stats().lost, 0);
    },
  },
  {
    name: 'a worker above min that has had no call for idleTimeoutMs ends, and the others stay',
    async act(stage) {
      const { scratch, clock } = stage;
      const options = { min: 1, max: 2, window: 1, idleTimeoutMs: 1000, clock };
      const dispatcher = await stage.ready(options);
      const log = scratch.path('log');
      const holds = ['1', '2'].map((mark) =>
        dispatcher.run('hold', { log, mark, until: scratch.path('go') }),
      );
      await scratch.reached('log', 2);
      clock.advance(1250);
      assert.equal(dispatcher.stats().idled, 0, 'none ends that has a call');
      scratch.touch('go');
      await Promise.all(holds);
      clock.advance(1250);
      await until(() => dispatcher.stats().workers.length === 1, 'one worker');
      const { idled, lost, killed, spawned, recycled } = dispatcher.stats();
      assert.deepEqual([idled, lost, killed, spawned, recycled], [1, 0, 0, 2, 0]);
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'a worker that says it is ill is replaced, and what it has is finished',
    async act(stage) {
      const { scratch, clock } = stage;
      // On a clock that stands no worker is too slow to answer: each question for its health is asked here.
      const dispatcher = await stage.ready({ healthMs: 20, window: 4, clock });
      const held = dispatcher.run('hold', { until: scratch.path('go') });
      const before = await dispatcher.run('tell', undefined);
      await dispatcher.run('sicken', undefined);
      clock.advance(20);
      await until(async () => {
        return (await dispatcher.run('tell', undefined)).workerId !== before.workerId;
      }, 'another worker');
      scratch.touch('go');
      assert.equal(await held, 'held');
      assert.equal(dispatcher.stats().recycled, 1);
      assert.equal(dispatcher.stats().lost, 0);
    },
  },
];
