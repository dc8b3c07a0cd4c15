import assert from 'node:assert/strict';
import type { Dispatcher } from '@ticketing/dispatch';
import { until } from '@ticketing/test-kit';
import { type CaseDraft, needsIsolation } from '../conformance-case.ts';
import { badModules, otherTasksModule } from '../conformance-modules.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import { rejected } from '../rejected.ts';
import { startRun } from '../started-run.ts';

/** `reload()`. */
export const reloadCases: readonly CaseDraft[] = [
  {
    name: 'reload() replaces every worker, and none is lost',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      const before = workerIds(dispatcher);
      await dispatcher.reload();
      await until(() => dispatcher.stats().workers.length === 2, 'two workers');
      const after = workerIds(dispatcher);
      assert.equal(after.size, 2);
      assert.ok(![...after].some((id) => before.has(id)), `${[...before]} and ${[...after]}`);
      assert.equal(await dispatcher.run('echo', 1), 1);
      const { lost, killed, spawned } = dispatcher.stats();
      assert.deepEqual({ lost, killed, spawned }, { lost: 0, killed: 0, spawned: 4 });
    },
  },
  {
    name: 'the old worker finishes what it has while the new one takes tasks',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 4 });
      const before = await dispatcher.run('tell', undefined);
      const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
      const reloading = dispatcher.reload();
      await until(async () => {
        return (await dispatcher.run('tell', undefined)).workerId !== before.workerId;
      }, 'the new worker');
      assert.equal(dispatcher.stats().running, 1, 'the task on the old worker');
      scratch.touch('go');
      assert.equal(await held.answer, 'held');
      await reloading;
      await until(() => dispatcher.stats().workers.length === 1, 'one worker');
    },
  },
  {
    name: 'no call fails under load while workers are replaced',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      let isOver = false;
      let answered = 0;
      const load = Array.from({ length: 8 }, async () => {
        while (!isOver) {
          await dispatcher.run('add', { a: answered, b: 1 });
          answered += 1;
          // A turn: where calls settle as promise jobs alone nothing else would get one.
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
      });
      await dispatcher.reload();
      await dispatcher.reload();
      isOver = true;
      await Promise.all(load);
      const { failed, rejected: refused, completed } = dispatcher.stats();
      assert.deepEqual({ failed, refused }, { failed: 0, refused: 0 });
      assert.equal(completed, answered);
    },
  },
  {
    name: 'reload() during a reload is the same one',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      await Promise.all([dispatcher.reload(), dispatcher.reload(), dispatcher.reload()]);
      assert.equal(dispatcher.stats().spawned, 4);
    },
  },
  {
    name: 'reload({ module }) changes the tasks',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      assert.equal(await dispatcher.run('echo', 1), 1);
      await dispatcher.reload({ module: otherTasksModule });
      const answers = await Promise.all([dispatcher.run('echo', 1), dispatcher.run('echo', 2)]);
      assert.deepEqual(answers, ['from other tasks', 'from other tasks']);
    },
  },
  {
    name: 'reload() to a module without tasks rejects, and the old workers go on',
    async act(stage) {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const reloading = dispatcher.reload({ module: badModules.noDefaultExport });
      const error = await rejected(reloading);
      assert.equal((error as { code?: unknown }).code, 'ERR_BAD_MODULE');
      assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
      assert.equal(dispatcher.state, 'ready');
      await dispatcher.reload();
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'reload() to a module that throws rejects with that, and the old workers go on',
    async act(stage) {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const error = await rejected(dispatcher.reload({ module: badModules.throwsAtStart }));
      assert.match(String(error), /thrown at start/);
      assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    },
  },
  {
    name: 'reload() to a module whose worker ends rejects, and the old workers go on',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready();
      const error = await rejected(dispatcher.reload({ module: badModules.exitsAtStart }));
      assert.equal((error as { code?: unknown }).code, 'ERR_WORKER_LOST');
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'close() during a reload leaves nothing',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      const reloading = dispatcher.reload().catch((error: unknown) => error);
      await dispatcher.close();
      const error = await reloading;
      if (error !== undefined) assert.equal((error as { code?: unknown }).code, 'ERR_CLOSED');
    },
  },
];

function workerIds(dispatcher: Dispatcher<ConformanceTasks>): ReadonlySet<number> {
  return new Set(dispatcher.stats().workers.map(({ workerId }) => workerId));
}
