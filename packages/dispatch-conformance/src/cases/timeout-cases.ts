import assert from 'node:assert/strict';
import { turns, until } from '@ticketing/test-kit';
import { rejectedWith, startRun } from '../calls.ts';
import { type CaseDraft, needsHardKill, needsIsolation, test } from '../conformance-case.ts';

/** Time limits; most on a manual clock. */
export const timeoutCases: readonly CaseDraft[] = [
  test('queueTimeoutMs rejects ERR_QUEUE_TIMEOUT, and the task never starts', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ window: 1, clock });
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    const call = rejectedWith(
      'ERR_QUEUE_TIMEOUT',
      dispatcher.run('mark', { log: scratch.path('log'), mark: 'late' }, { queueTimeoutMs: 50 }),
    );
    clock.advance(49);
    assert.equal(dispatcher.stats().queued, 1);
    clock.advance(1);
    const error = await call;
    assert.deepEqual([error.data.limit, error.data.task], [50, 'mark']);
    scratch.touch('go');
    await held.answer;
    await dispatcher.run('echo', 1);
    assert.deepEqual(scratch.lines('log'), []);
    assert.equal(dispatcher.stats().aborted, 1);
  }),
  test(
    'queueTimeoutMs also ends a call that was sent and has not started',
    needsIsolation,
    async (stage) => {
      const { scratch, clock } = stage;
      const dispatcher = await stage.ready({ window: 2, clock });
      const log = scratch.path('log');
      const blocked = dispatcher.run('block', { log, mark: 'blocks', until: scratch.path('go') });
      const call = rejectedWith(
        'ERR_QUEUE_TIMEOUT',
        dispatcher.run('mark', { log, mark: 'late' }, { queueTimeoutMs: 50 }),
      );
      await scratch.reached('log', 1);
      // The first call goes out at once, the second at the end of this turn, by when the task of the first may already run.
      await turns();
      clock.advance(50);
      await call;
      await turns();
      scratch.touch('go');
      await blocked;
      await dispatcher.run('echo', 1);
      assert.deepEqual(scratch.lines('log'), ['blocks']);
    },
  ),
  test('queueTimeoutMs does not end a task that has started', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ clock });
    const { answer } = await startRun(
      dispatcher,
      'hold',
      { until: scratch.path('go') },
      { queueTimeoutMs: 50 },
    );
    clock.advance(4000);
    scratch.touch('go');
    assert.equal(await answer, 'held');
  }),
  test('runTimeoutMs rejects ERR_RUN_TIMEOUT, and the task’s signal aborts', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ clock });
    const log = scratch.path('log');
    const { answer } = await startRun(
      dispatcher,
      'hold',
      { log, until: scratch.path('never') },
      { runTimeoutMs: 100 },
    );
    clock.advance(99);
    assert.equal(dispatcher.stats().running, 1);
    clock.advance(1);
    const error = await rejectedWith('ERR_RUN_TIMEOUT', answer);
    assert.deepEqual([error.data.limit, error.data.task], [100, 'hold']);
    await scratch.reached('log', 2);
    assert.equal(dispatcher.stats().killed, 0);
  }),
  test('runTimeoutMs does not count while the task waits in the queue', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ window: 1, clock });
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    const call = dispatcher.run('echo', 'patient', { runTimeoutMs: 100 });
    clock.advance(4000);
    scratch.touch('go');
    assert.deepEqual(await Promise.all([held.answer, call]), ['held', 'patient']);
  }),
  test(
    'runTimeoutMs does not count while the task was sent and waits behind another',
    needsIsolation,
    async (stage) => {
      const { scratch, clock } = stage;
      const dispatcher = await stage.ready({ window: 2, clock });
      const log = scratch.path('log');
      const blocked = dispatcher.run('block', { log, mark: 'blocks', until: scratch.path('go') });
      const call = dispatcher.run('echo', 'patient', { runTimeoutMs: 100 });
      await scratch.reached('log', 1);
      // By then the second call has been sent, too.
      await turns();
      clock.advance(4000);
      scratch.touch('go');
      assert.deepEqual(await Promise.all([blocked, call]), ['blocks', 'patient']);
    },
  ),
  test('runTimeoutMs ends a loop without end, and its worker', needsHardKill, async (stage) => {
    const dispatcher = await stage.ready({ abortGraceMs: 20 });
    await rejectedWith('ERR_RUN_TIMEOUT', dispatcher.run('spin', {}, { runTimeoutMs: 50 }));
    assert.equal(await dispatcher.run('echo', 1), 1);
    assert.equal(dispatcher.stats().killed, 1);
  }),
  test('timeoutMs counts from the call, in the queue', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ window: 1, clock });
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    const log = scratch.path('log');
    const call = rejectedWith(
      'ERR_TIMEOUT',
      dispatcher.run('mark', { log, mark: 'late' }, { timeoutMs: 50 }),
    );
    clock.advance(50);
    assert.equal((await call).data.limit, 50);
    scratch.touch('go');
    await held.answer;
    await dispatcher.run('echo', 1);
    assert.deepEqual(scratch.lines('log'), []);
  }),
  test('timeoutMs counts from the call, while the task runs', async (stage) => {
    const { scratch, clock } = stage;
    const dispatcher = await stage.ready({ clock });
    const log = scratch.path('log');
    const { answer } = await startRun(
      dispatcher,
      'hold',
      { log, until: scratch.path('never') },
      // The worker checks the time of day: this limit is long enough for it to start the task.
      { timeoutMs: 60_000, runTimeoutMs: 60_001 },
    );
    clock.advance(60_000);
    await rejectedWith('ERR_TIMEOUT', answer);
    await scratch.reached('log', 2);
  }),
  test(
    'a task whose deadline passes while it waits in its worker never starts',
    needsIsolation,
    async (stage) => {
      const { scratch, clock } = stage;
      // The timers of the dispatcher stand still, as if its event loop were late.
      const dispatcher = await stage.ready({ window: 2, clock });
      const log = scratch.path('log');
      const blocked = dispatcher.run('block', { log, mark: 'blocks', until: scratch.path('go') });
      const timeoutMs = 20;
      const call = rejectedWith(
        'ERR_TIMEOUT',
        dispatcher.run('mark', { log, mark: 'late' }, { timeoutMs }),
      );
      const deadline = Date.now() + timeoutMs + 1;
      await scratch.reached('log', 1);
      await until(() => Date.now() > deadline, 'the deadline');
      scratch.touch('go');
      await blocked;
      assert.equal((await call).data.limit, timeoutMs);
      assert.equal(await dispatcher.run('echo', 1), 1);
      assert.deepEqual(scratch.lines('log'), ['blocks']);
      assert.equal(dispatcher.stats().aborted, 1);
    },
  ),
  test('a task knows the deadline of timeoutMs in epoch milliseconds; without timeoutMs it has none', async (stage) => {
    const dispatcher = await stage.ready();
    const before = Date.now();
    const { deadline } = await dispatcher.run('tell', undefined, { timeoutMs: 60_000 });
    const after = Date.now();
    assert.ok(deadline !== undefined, 'a deadline');
    assert.ok(deadline >= before + 60_000 - 1 && deadline <= after + 60_000 + 1, `${deadline}`);
    assert.equal((await dispatcher.run('tell', undefined)).deadline, undefined);
  }),
  test('answered calls leave no timer', async (stage) => {
    const { clock } = stage;
    const dispatcher = await stage.ready({ clock });
    await dispatcher.run('echo', 1);
    const { pending } = clock;
    const options = { timeoutMs: 60_000, queueTimeoutMs: 1000, runTimeoutMs: 1000 };
    await Promise.all(
      Array.from({ length: 100 }, (_, a) => dispatcher.run('add', { a, b: 0 }, options)),
    );
    await dispatcher.run('fail', 'coded', options).catch(() => {});
    assert.equal(clock.pending, pending);
  }),
  test('each limit also takes effect on the platform clock', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 1 });
    const until = scratch.path('never');
    await rejectedWith('ERR_TIMEOUT', dispatcher.run('hold', { until }, { timeoutMs: 20 }));
    await rejectedWith('ERR_RUN_TIMEOUT', dispatcher.run('hold', { until }, { runTimeoutMs: 20 }));
    const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
    await rejectedWith('ERR_QUEUE_TIMEOUT', dispatcher.run('echo', 1, { queueTimeoutMs: 20 }));
    scratch.touch('go');
    await held.answer;
  }),
];
