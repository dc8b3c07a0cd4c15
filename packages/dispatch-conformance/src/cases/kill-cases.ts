import assert from 'node:assert/strict';
import type { Dispatcher } from '@ticketing/dispatch';
import { turns, until } from '@ticketing/test-kit';
import { coded, rejected, rejectedWith, startRun } from '../calls.ts';
import {
  type CaseDraft,
  needsHardKill,
  needsIsolation,
  needsProcess,
  test,
} from '../conformance-case.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import type { Stage } from '../stage.ts';

/** Tasks that ignore an abort. */
export const killCases: readonly CaseDraft[] = [
  test('a task that ignores its signal delays neither its caller nor the next call', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, abortGraceMs: 20 });
    const controller = stage.controller();
    const { answer } = await startRun(dispatcher, 'ignoreAbort', undefined, {
      signal: controller.signal,
    });
    const reason = new Error('enough');
    controller.abort(reason);
    assert.equal(await rejected(answer), reason);
    assert.equal(await dispatcher.run('echo', 1), 1);
  }),
  test(
    'a task that ignores its signal for abortGraceMs has its worker killed and replaced',
    needsHardKill,
    async (stage) => {
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
  ),
  test(
    'a task in a loop without end has its worker killed and replaced',
    needsHardKill,
    async (stage) => {
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
  ),
  test('a task that ends within its grace keeps its worker', needsIsolation, async (stage) => {
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
  }),
  test(
    'a task that was only held up by another does not cost its worker',
    needsIsolation,
    async (stage) => {
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
      // Far longer than the grace.
      clock.advance(100);
      await turns();
      assert.equal(dispatcher.stats().killed, 0);
      scratch.touch('go');
      await blocked;
      assert.equal(await dispatcher.run('echo', 1), 1);
      assert.deepEqual(scratch.lines('log'), ['blocks']);
    },
  ),
  test(
    'of the tasks on a killed worker those that had started are lost, the others run elsewhere',
    needsHardKill,
    async (stage) => {
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
  ),
  test('a stopped process has its worker killed and replaced', needsProcess, async (stage) => {
    const dispatcher = await stage.ready({ abortGraceMs: 20 });
    const { pid } = await dispatcher.run('tell', undefined);
    await rejectedWith(
      'ERR_RUN_TIMEOUT',
      dispatcher.run('signalSelf', 'SIGSTOP', { runTimeoutMs: 100 }),
    );
    assert.notEqual((await dispatcher.run('tell', undefined)).pid, pid);
    assert.equal(dispatcher.stats().killed, 1);
  }),
  test(
    'a stopped idle worker fails its health check and is replaced',
    needsProcess,
    async (stage) => {
      const dispatcher = await stage.ready({ healthMs: 100 });
      const { pid } = await dispatcher.run('tell', undefined);
      process.kill(pid, 'SIGSTOP');
      await until(() => dispatcher.stats().recycled === 1, 'another worker');
      assert.notEqual((await dispatcher.run('tell', undefined)).pid, pid);
    },
  ),
];

const two = { min: 2, max: 2, window: 8 } as const;

/** Calls that are sent to a worker whose event loop another task holds. */
export const heldUpCases: readonly CaseDraft[] = [
  {
    name: 'calls sent behind a long task run on another worker, each once',
    unless: needsIsolation,
    needsReclaim: true,
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready(two);
      const { blocked } = await block(stage, dispatcher);
      const marks = Array.from({ length: 12 }, (_, mark) => String(mark));
      await Promise.all(marks.map((mark) => dispatcher.run('mark', { log: log(stage), mark })));
      assert.ok(dispatcher.stats().moved > 0, 'calls moved');
      scratch.touch('go');
      await blocked;
      // A worker that answers has handled all earlier calls.
      const workers = new Set<number>();
      await until(async () => {
        const asked = [1, 2, 3, 4].map(() => dispatcher.run('tell', undefined));
        for (const { workerId } of await Promise.all(asked)) workers.add(workerId);
        return workers.size === 2;
      }, 'an answer of each worker');
      assert.deepEqual([...scratch.lines('log')].sort(), ['blocks', ...marks].sort());
    },
  },
  {
    name: 'a call that has moved is aborted where it runs',
    unless: needsIsolation,
    needsReclaim: true,
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready(two);
      const { blocked } = await block(stage, dispatcher);
      const controllers = [stage.controller(), stage.controller()];
      const held = controllers.map(({ signal }, index) => {
        const input = { log: log(stage), mark: `${index}`, until: scratch.path('never') };
        return rejected(dispatcher.run('hold', input, { signal }));
      });
      await scratch.reached('log', 3);
      const reason = new Error('enough');
      for (const controller of controllers) controller.abort(reason);
      assert.deepEqual(await Promise.all(held), [reason, reason]);
      await scratch.reached('log', 5);
      scratch.touch('go');
      await blocked;
      assert.equal(dispatcher.stats().killed, 0);
    },
  },
  {
    name: 'a call with a key waits for its worker',
    unless: needsIsolation,
    needsReclaim: true,
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready(two);
      const { blocked } = await block(stage, dispatcher, 'key');
      const keyed = dispatcher.run('mark', { log: log(stage), mark: 'keyed' }, { key: 'key' });
      const others = ['1', '2', '3', '4'].map((mark) =>
        dispatcher.run('mark', { log: log(stage), mark }),
      );
      await Promise.all(others);
      scratch.touch('go');
      await Promise.all([blocked, keyed]);
      assert.equal(scratch.lines('log').at(-1), 'keyed');
    },
  },
  {
    name: 'tasks of any duration run once each, also while a worker ends',
    unless: needsIsolation,
    needsReclaim: true,
    async act(stage) {
      const dispatcher = await stage.ready(two);
      const outcomes = new Map<string, 'answered' | 'lost'>();
      const marks = Array.from({ length: 240 }, (_, mark) => String(mark)).values();
      const caller = async (): Promise<void> => {
        for (const mark of marks) {
          const outcome = await mixed(dispatcher, { log: log(stage), mark }).then(
            () => 'answered' as const,
            (error) => {
              coded('ERR_WORKER_LOST', error);
              return 'lost' as const;
            },
          );
          outcomes.set(mark, outcome);
        }
      };
      await Promise.all(Array.from({ length: 12 }, caller));
      const begun = new Map<string, number>();
      for (const line of stage.scratch.lines('log')) {
        const [mark = ''] = line.split(' ');
        begun.set(mark, (begun.get(mark) ?? 0) + 1);
      }
      for (const [mark, outcome] of outcomes) {
        const times = begun.get(mark) ?? 0;
        assert.ok(times === 1 || (times === 0 && outcome === 'lost'), `${mark}: ${times} times`);
      }
      assert.equal(outcomes.size, 240);
    },
  },
];

/** Runs a task: mostly a tiny one; some compute, few for long, and one ends its worker. */
function mixed(
  dispatcher: Dispatcher<ConformanceTasks>,
  note: { readonly log: string; readonly mark: string },
): Promise<unknown> {
  if (note.mark === '80') return dispatcher.run('exit', { ...note, code: 1 });
  const dice = Math.random();
  if (dice < 0.9) return dispatcher.run('mark', note);
  return dispatcher.run('spin', { ...note, ms: dice < 0.97 ? 20 * Math.random() : 60 });
}

/** Blocks a worker until the file `go` exists. Resolves when it is blocked. */
async function block(
  stage: Stage,
  dispatcher: Dispatcher<ConformanceTasks>,
  key?: string,
): Promise<{ readonly blocked: Promise<string> }> {
  const input = { log: log(stage), mark: 'blocks', until: stage.scratch.path('go') };
  const blocked = dispatcher.run('block', input, key === undefined ? {} : { key });
  await stage.scratch.reached('log', 1);
  return { blocked };
}

function log(stage: Stage): string {
  return stage.scratch.path('log');
}
