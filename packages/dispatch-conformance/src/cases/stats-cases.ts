import assert from 'node:assert/strict';
import { rejected, rejectedWith, startRun } from '../calls.ts';
import { type CaseDraft, needsIsolation, test } from '../conformance-case.ts';

/** `stats()`. */
export const statsCases: readonly CaseDraft[] = [
  test('each call is counted once, by how it ended', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
    await dispatcher.run('echo', 1);
    await rejected(dispatcher.run('fail', 'coded'));
    await rejected(dispatcher.run('echo', 1, { signal: AbortSignal.abort() }));
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const queued = dispatcher.run('echo', 2);
    await rejectedWith('ERR_QUEUE_FULL', dispatcher.run('echo', 3));
    const during = dispatcher.stats();
    assert.deepEqual([during.asked, during.running, during.queued], [6, 1, 1]);
    stage.scratch.touch('go');
    await Promise.all([held.answer, queued]);
    const { asked, completed, failed, aborted, rejected: refused } = dispatcher.stats();
    assert.deepEqual(
      { asked, completed, failed, aborted, refused },
      { asked: 6, completed: 3, failed: 1, aborted: 1, refused: 1 },
    );
  }),
  test('the histograms count each call that was answered, and their times are in order', async (stage) => {
    const dispatcher = await stage.ready();
    const calls = Array.from({ length: 40 }, (_, a) => dispatcher.run('add', { a, b: 1 }));
    await Promise.all(calls);
    await rejected(dispatcher.run('fail', 'text'));
    await dispatcher.run('spin', { ms: 20 });
    const { wait, run, transport } = dispatcher.stats().histograms;
    assert.deepEqual([wait.count, run.count, transport.count], [42, 42, 42]);
    for (const each of [wait, run, transport]) {
      assert.ok(each.p50 <= each.p90 && each.p90 <= each.p99, JSON.stringify(each));
      // Quantiles are within 7 %.
      assert.ok(each.p99 <= each.max * 1.07 && each.mean <= each.max, JSON.stringify(each));
    }
    assert.ok(run.max >= 19, `a run of 20 ms, got ${run.max}`);
    assert.ok(run.p50 < 19, `most runs shorter, got ${run.p50}`);
  }),
  test('before the first call all is 0', async (stage) => {
    const { asked, histograms, queued, running, name, kind } = (await stage.ready()).stats();
    assert.deepEqual([asked, queued, running], [0, 0, 0]);
    const none = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
    assert.deepEqual(histograms, { wait: none, run: none, transport: none });
    assert.deepEqual([name, kind], [stage.subject.kind, stage.subject.kind]);
  }),
  test('a dispatcher has the kind and the capabilities of its subject', async (stage) => {
    const dispatcher = await stage.ready({ name: 'mine' });
    assert.equal(dispatcher.kind, stage.subject.kind);
    assert.deepEqual(dispatcher.capabilities, stage.subject.capabilities);
    assert.equal(dispatcher.stats().name, 'mine');
    const error = await rejectedWith('ERR_UNKNOWN_TASK', dispatcher.run('none' as 'echo', 1));
    assert.equal(error.data.name, 'mine');
  }),
  test('stats() counts the calls of each worker, and the workers', async (stage) => {
    const dispatcher = await stage.ready({ window: 8 });
    for (const value of [1, 2, 3]) await dispatcher.run('echo', value);
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const { workers, spawned } = dispatcher.stats();
    assert.equal(workers.length, 1);
    const [worker] = workers;
    assert.deepEqual(
      [worker?.state, worker?.inFlight, worker?.window, worker?.done, spawned],
      ['ready', 1, 8, 3, 1],
    );
    assert.ok((worker?.ageMs ?? -1) >= 0);
    stage.scratch.touch('go');
    await held.answer;
  }),
  test(
    'lost workers are counted, those that were asked to stop are not',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready();
      await dispatcher.run('echo', 1);
      await rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }));
      await dispatcher.run('echo', 2);
      await dispatcher.close();
      const { lost, killed, spawned } = dispatcher.stats();
      assert.deepEqual({ lost, killed, spawned }, { lost: 1, killed: 0, spawned: 2 });
    },
  ),
];
