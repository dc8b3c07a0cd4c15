import assert from 'node:assert/strict';
import type { Dispatcher } from '@ticketing/dispatch';
import { type CaseDraft, needsIsolation } from '../conformance-case.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import { rejectedWith } from '../rejected.ts';
import type { Stage } from '../stage.ts';
import { startRun } from '../started-run.ts';

/** Priority and keys. */
export const orderCases: readonly CaseDraft[] = [
  {
    name: 'calls of one priority start in the order in which they were made',
    async act(stage) {
      const marks = Array.from({ length: 50 }, (_, index) => `${index}`);
      const lines = await inOrder(stage, (queue) => marks.map((mark) => queue(mark, 0)));
      assert.deepEqual(lines, marks);
    },
  },
  {
    name: 'a higher priority goes first, a lower one last',
    async act(stage) {
      const lines = await inOrder(stage, (queue) => [
        queue('a', 0),
        queue('low', -1),
        queue('b', 0),
        queue('high', 5),
        queue('highest', 1000),
      ]);
      assert.deepEqual(lines, ['highest', 'high', 'a', 'b', 'low']);
    },
  },
  {
    name: 'a second of waiting is worth a step of priority, so nothing starves',
    async act(stage) {
      const lines = await inOrder(stage, (queue) => {
        const first = queue('waited 3 s', 0);
        stage.clock.advance(3000);
        return [first, queue('above by 2', 2), queue('above by 5', 5)];
      });
      assert.deepEqual(lines, ['above by 5', 'waited 3 s', 'above by 2']);
    },
  },
  {
    name: 'tasks of one key run on one worker',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2, window: 2 });
      const keys = Array.from({ length: 20 }, (_, index) => `key ${index % 10}`);
      const workers = await Promise.all(keys.map((key) => workerOf(dispatcher, key)));
      for (const [index, key] of keys.entries()) {
        assert.equal(workers[index], workers[keys.indexOf(key)], `the worker of ${key}`);
      }
      assert.equal(new Set(workers).size, 2, 'workers that keys are spread over');
    },
  },
  {
    name: 'a successor takes over the keys of a worker that ended',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      const before = await workerOf(dispatcher, 'mine');
      await rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }, { key: 'mine' }));
      const after = [];
      for (let time = 0; time < 5; time += 1) after.push(await workerOf(dispatcher, 'mine'));
      assert.equal(new Set(after).size, 1, 'workers of the key');
      assert.notEqual(after[0], before);
    },
  },
];

type Queue = (mark: string, priority: number) => Promise<string>;

/** Calls that wait behind one, and the order in which they ran. */
async function inOrder(
  stage: Stage,
  ask: (queue: Queue) => readonly Promise<string>[],
): Promise<readonly string[]> {
  const { scratch, clock } = stage;
  const dispatcher = await stage.ready({ window: 1, clock });
  const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
  const log = scratch.path('log');
  const calls = ask((mark, priority) => dispatcher.run('mark', { log, mark }, { priority }));
  scratch.touch('go');
  await held.answer;
  await Promise.all(calls);
  return scratch.lines('log');
}

async function workerOf(dispatcher: Dispatcher<ConformanceTasks>, key: string): Promise<number> {
  return (await dispatcher.run('tell', undefined, { key })).workerId;
}
