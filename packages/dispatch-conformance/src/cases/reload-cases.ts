import assert from 'node:assert/strict';
import type { Dispatcher } from '@ticketing/dispatch';
import { until } from '@ticketing/test-kit';
import { rejected, startRun } from '../calls.ts';
import { type CaseDraft, needsIsolation, test } from '../conformance-case.ts';
import { badModules, otherTasksModule } from '../conformance-modules.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';

/** `reload()`. */
export const reloadCases: readonly CaseDraft[] = [
  test('reload() replaces every worker, and none is lost', async (stage) => {
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
  }),
  test('the old worker finishes what it has while the new one takes tasks', async (stage) => {
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
  }),
  test('no call fails under load while workers are replaced', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    let isOver = false;
    let answered = 0;
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        await dispatcher.run('add', { a: answered, b: 1 });
        answered += 1;
        // A turn of the event loop: where calls settle in microtasks alone nothing else would run.
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
  }),
  test('reload() during a reload joins it', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    await Promise.all([dispatcher.reload(), dispatcher.reload(), dispatcher.reload()]);
    assert.equal(dispatcher.stats().spawned, 4);
  }),
  test('reload({ module }) changes the tasks', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    assert.equal(await dispatcher.run('echo', 1), 1);
    await dispatcher.reload({ module: otherTasksModule });
    const answers = await Promise.all([dispatcher.run('echo', 1), dispatcher.run('echo', 2)]);
    assert.deepEqual(answers, ['from other tasks', 'from other tasks']);
  }),
  test('reload() to a module without tasks rejects, and the old workers go on', async (stage) => {
    const dispatcher = await stage.ready();
    const before = await dispatcher.run('tell', undefined);
    const reloading = dispatcher.reload({ module: badModules.noDefaultExport });
    const error = await rejected(reloading);
    assert.equal((error as { code?: unknown }).code, 'ERR_BAD_MODULE');
    assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    assert.equal(dispatcher.state, 'ready');
    await dispatcher.reload();
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test('reload() to a module that throws rejects with that, and the old workers go on', async (stage) => {
    const dispatcher = await stage.ready();
    const before = await dispatcher.run('tell', undefined);
    const error = await rejected(dispatcher.reload({ module: badModules.throwsAtStart }));
    assert.match(String(error), /thrown at start/);
    assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
  }),
  test(
    'reload() to a module whose worker ends rejects, and the old workers go on',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready();
      const error = await rejected(dispatcher.reload({ module: badModules.exitsAtStart }));
      assert.equal((error as { code?: unknown }).code, 'ERR_WORKER_LOST');
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  ),
  test('close() during a reload leaves nothing', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const reloading = dispatcher.reload().catch((error: unknown) => error);
    await dispatcher.close();
    const error = await reloading;
    if (error !== undefined) assert.equal((error as { code?: unknown }).code, 'ERR_CLOSED');
  }),
];

function workerIds(dispatcher: Dispatcher<ConformanceTasks>): ReadonlySet<number> {
  return new Set(dispatcher.stats().workers.map(({ workerId }) => workerId));
}

/** Healthy workers that are replaced, and workers whose health hook fails. */
export const recycleCases: readonly CaseDraft[] = [
  test('a worker is replaced after recycle.tasks, and no call fails', async (stage) => {
    const dispatcher = await stage.ready({ recycle: { tasks: 5, jitter: 0 } });
    const workers = new Set<number>();
    await until(async () => {
      workers.add((await dispatcher.run('tell', undefined)).workerId);
      return workers.size >= 3;
    }, 'three workers');
    const { failed, rejected, lost, recycled } = dispatcher.stats();
    assert.deepEqual({ failed, rejected, lost }, { failed: 0, rejected: 0, lost: 0 });
    assert.ok(recycled >= 2, `${recycled} recycled`);
  }),
  test('a worker is replaced after recycle.ageMs', async (stage) => {
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
  }),
  test('a worker is replaced after recycle.heapBytes', needsIsolation, async (stage) => {
    const { clock } = stage;
    const dispatcher = await stage.ready({ healthMs: 30, recycle: { heapBytes: 1 }, clock });
    const before = await dispatcher.run('tell', undefined);
    // The first load comes with an answer, when 20 ms have passed.
    await until(async () => {
      await dispatcher.run('spin', { ms: 5 });
      return dispatcher.stats().workers[0]?.heapBytes !== undefined;
    }, 'a report of the heap');
    clock.advance(30);
    await until(async () => {
      return (await dispatcher.run('tell', undefined)).workerId !== before.workerId;
    }, 'another worker');
    assert.equal(dispatcher.stats().recycled, 1);
  }),
  test(
    'a worker whose event loop stays busy is replaced after recycle.utilisation',
    needsIsolation,
    async (stage) => {
      const { clock } = stage;
      // Any work exceeds this limit: the case triggers each check after the worker has reported its work.
      const recycle = { utilisation: 1e-6 };
      const dispatcher = await stage.ready({ healthMs: 30, recycle, clock });
      const before = await dispatcher.run('tell', undefined);
      for (let check = 1; check <= 3; check += 1) {
        assert.equal(dispatcher.stats().recycled, 0, `before check ${check}`);
        for (let run = 0; run < 3; run += 1) await dispatcher.run('spin', { ms: 25 });
        clock.advance(30);
      }
      await until(async () => {
        return (await dispatcher.run('tell', undefined)).workerId !== before.workerId;
      }, 'another worker');
      const { recycled, lost, failed } = dispatcher.stats();
      assert.deepEqual({ recycled, lost, failed }, { recycled: 1, lost: 0, failed: 0 });
    },
  ),
  test('a worker that waits is not too busy', needsIsolation, async (stage) => {
    const { clock, scratch } = stage;
    const recycle = { utilisation: 0.95 };
    const dispatcher = await stage.ready({ healthMs: 30, recycle, clock, window: 4 });
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    for (let check = 0; check < 5; check += 1) {
      // A load comes with an answer, when 20 ms have passed.
      const due = performance.now() + 40;
      await until(() => performance.now() >= due, 'a while');
      await dispatcher.run('echo', 1);
      clock.advance(30);
    }
    scratch.touch('go');
    assert.equal(await held.answer, 'held');
    assert.equal(dispatcher.stats().recycled, 0);
  }),
  test('a worker above min that has had no call for idleTimeoutMs ends, and the others stay', async (stage) => {
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
  }),
  test('a worker whose health hook fails is replaced, and finishes its calls', async (stage) => {
    const { scratch, clock } = stage;
    // The manual clock stands still, so no worker answers too late: the case triggers each health check.
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
  }),
];
