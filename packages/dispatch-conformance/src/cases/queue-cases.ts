import assert from 'node:assert/strict';
import type { RunOptions } from '@ticketing/dispatch';
import { turns } from '@ticketing/test-kit';
import type { CaseDraft } from '../conformance-case.ts';
import { countRejected, rejectedWith } from '../rejected.ts';
import type { Stage } from '../stage.ts';
import { startRun } from '../started-run.ts';

/** The bound of the queue and of what a worker is given. */
export const queueCases: readonly CaseDraft[] = [
  {
    name: 'the queue takes maxQueue calls, then rejects ERR_QUEUE_FULL and never starts them',
    act: (stage) => fill(stage, () => ({})),
  },
  {
    name: 'calls with a signal of their own do not pass the bound',
    act: (stage) => fill(stage, () => ({ signal: stage.controller().signal })),
  },
  {
    name: 'calls with one signal do not pass the bound',
    act(stage) {
      const { signal } = stage.controller();
      return fill(stage, () => ({ signal, timeoutMs: 60_000 }));
    },
  },
  {
    name: 'with maxQueue 0 a call runs if a worker is free, and is rejected if none is',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
      assert.equal(await dispatcher.run('echo', 1), 1);
      const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
      const error = await rejectedWith('ERR_QUEUE_FULL', dispatcher.run('echo', 2));
      assert.equal(error.data.limit, 0);
      assert.equal(error.data.task, 'echo');
      stage.scratch.touch('go');
      await held.answer;
      assert.equal(await dispatcher.run('echo', 3), 3);
    },
  },
  {
    name: 'a numeric window bounds what a worker has, and the next goes as one settles',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 3 });
      const gates = [1, 2, 3, 4, 5].map((number) => scratch.path(`go-${number}`));
      const answers = gates.map((until, index) =>
        dispatcher.run('hold', { until, log: scratch.path('log'), mark: `${index + 1}` }),
      );
      await scratch.reached('log', 3);
      await turns();
      const { running, queued, workers } = dispatcher.stats();
      assert.deepEqual([running, queued], [3, 2]);
      assert.equal(workers[0]?.window, 3);
      assert.deepEqual(scratch.lines('log'), ['1', '2', '3']);
      scratch.touch('go-2');
      assert.equal(await answers[1], '2');
      await scratch.reached('log', 4);
      for (const number of [1, 3, 4, 5]) scratch.touch(`go-${number}`);
      assert.deepEqual(await Promise.all(answers), ['1', '2', '3', '4', '5']);
    },
  },
  {
    name: 'each worker is given its window',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ max: 2, window: 2 });
      const answers = Array.from({ length: 6 }, (_, index) =>
        dispatcher.run('hold', {
          until: scratch.path('go'),
          log: scratch.path('log'),
          mark: `${index}`,
        }),
      );
      await scratch.reached('log', 4);
      const { running, queued } = dispatcher.stats();
      assert.deepEqual([running, queued], [4, 2]);
      scratch.touch('go');
      await Promise.all(answers);
    },
  },
  {
    name: 'a thousand calls at once are each answered with their own answer',
    async act(stage) {
      const dispatcher = await stage.dispatcher({ max: 2 });
      const numbers = Array.from({ length: 1000 }, (_, number) => number);
      const answers = await Promise.all(
        numbers.map((number) => dispatcher.run('add', { a: number, b: 1 })),
      );
      assert.deepEqual(
        answers,
        numbers.map((number) => number + 1),
      );
    },
  },
];

/** Ten calls where one runs and three may wait. */
async function fill(stage: Stage, options: () => RunOptions): Promise<void> {
  const { scratch } = stage;
  const dispatcher = await stage.ready({ window: 1, maxQueue: 3 });
  const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
  const log = scratch.path('log');
  const calls = Array.from({ length: 10 }, (_, index) =>
    dispatcher.run('mark', { log, mark: `${index}` }, options()),
  );
  const settling = Promise.allSettled(calls);
  await turns();
  assert.equal(dispatcher.stats().queued, 3, 'calls that wait');
  assert.equal(dispatcher.stats().rejected, 7, 'calls rejected while the queue is full');
  scratch.touch('go');
  await held.answer;
  const outcomes = await settling;
  assert.equal(countRejected('ERR_QUEUE_FULL', outcomes), 7);
  assert.deepEqual(
    outcomes.slice(0, 3).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(scratch.lines('log'), ['0', '1', '2']);
}
