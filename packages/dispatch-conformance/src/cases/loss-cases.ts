import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { DispatchError, InputOf } from '@ticketing/dispatch';
import { rejected, rejectedWith } from '../calls.ts';
import { type CaseDraft, needsIsolation, needsProcess, test } from '../conformance-case.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import type { Stage } from '../stage.ts';

/** Workers that end while they have tasks. */
export const lossCases: readonly CaseDraft[] = [
  loses('exit(0)', 'exit', { code: 0, say: 'farewell' }, ({ data }, process) => {
    assert.equal(data.exitCode, 0);
    if (process) assert.match(data.stderrTail ?? '', /farewell/);
  }),
  loses('exit(1)', 'exit', { code: 1, say: 'alas' }, ({ data }, process) => {
    assert.equal(data.exitCode, 1);
    if (process) assert.match(data.stderrTail ?? '', /alas/);
  }),
  loses('a throw in a timer', 'throwLater', 'thrown in a timer', ({ data, cause }, process) => {
    if (process) assert.match(data.stderrTail ?? '', /thrown in a timer/);
    else assert.match(String(cause), /thrown in a timer/);
  }),
  loses('an unhandled rejection', 'rejectLater', 'not handled', ({ data, cause }, process) => {
    if (process) assert.match(data.stderrTail ?? '', /not handled/);
    else assert.match(String(cause), /not handled/);
  }),
  {
    ...loses('SIGKILL', 'signalSelf', 'SIGKILL', ({ data }) => {
      assert.equal(data.signal, 'SIGKILL');
      assert.equal(data.exitCode, undefined);
    }),
    unless: needsProcess,
  },
  {
    name: 'a worker without memory rejects its call with ERR_WORKER_LOST, and the next call works',
    unless: needsIsolation,
    needsSmallHeap: true,
    async act(stage) {
      const dispatcher = await stage.dispatcher({}, undefined, stage.subject.createWithSmallHeap);
      await dispatcher.ready();
      const error = await rejectedWith(
        'ERR_WORKER_LOST',
        dispatcher.run('exhaustMemory', undefined),
      );
      if (stage.subject.capabilities.isolation === 'process') {
        assert.match(error.data.stderrTail ?? '', /heap|memory/i);
      }
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  test(
    'a call that its worker had begun is lost, and is not told that it may run elsewhere',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready({});
      const told: unknown[] = [];
      const onNoWorker = (error: unknown): void => void told.push(error);
      const call = dispatcher.run('exit', { code: 1 }, { onNoWorker });
      await rejectedWith('ERR_WORKER_LOST', call);
      assert.equal(await dispatcher.run('echo', 1, { onNoWorker }), 1);
      assert.deepEqual(told, []);
    },
  ),
  test(
    'a large answer that precedes the end of a worker arrives',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready({ window: 8 });
      const text = 'x'.repeat(1_000_000);
      const large = dispatcher.run('echo', text);
      const exit = rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 0 }));
      const outcome = await large.then(
        (value) => value === text,
        (error: { code?: unknown }) => error.code === 'ERR_WORKER_LOST',
      );
      assert.ok(outcome, 'the whole answer, or ERR_WORKER_LOST');
      await exit;
    },
  ),
  behind('exit(0)', { exitCode: 0 }),
  behind('exit(1)', { exitCode: 1 }),
  { ...behind('SIGKILL', {}), unless: needsProcess },
  test(
    'calls that are made as an idle worker dies are answered by its successor',
    needsProcess,
    async (stage) => {
      const dispatcher = await stage.ready({ window: 8 });
      const { pid } = await dispatcher.run('tell', undefined);
      const log = stage.scratch.path('log');
      process.kill(pid, 'SIGKILL');
      const marks = Array.from({ length: 20 }, (_, index) => `${index}`);
      const calls = marks.map((mark) => dispatcher.run('mark', { log, mark }));
      assert.deepEqual(await Promise.all(calls), marks);
      assert.deepEqual(stage.scratch.lines('log'), marks);
      assert.equal(dispatcher.stats().lost, 1);
    },
  ),
  test('a worker that dies fails no task of another worker', needsIsolation, async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ max: 2, window: 1 });
    const log = scratch.path('log');
    const until = scratch.path('go');
    const held = dispatcher.run('hold', { log, until });
    await scratch.reached('log', 1);
    await rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }));
    scratch.touch('go');
    assert.equal(await held, 'held');
  }),
];

/** A task that ends its worker, with no other call. */
function loses<K extends 'exit' | 'throwLater' | 'rejectLater' | 'signalSelf'>(
  what: string,
  task: K,
  input: InputOf<ConformanceTasks, K>,
  check: (error: DispatchError, isProcess: boolean) => void,
): CaseDraft {
  return {
    name: `${what} rejects ERR_WORKER_LOST and says how it ended, and the next call works`,
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const error = await rejectedWith('ERR_WORKER_LOST', dispatcher.run(task, input));
      assert.deepEqual([error.data.task, error.data.pid], [task, before.pid]);
      check(error, stage.subject.capabilities.isolation === 'process');
      const after = await dispatcher.run('tell', undefined);
      assert.notEqual(after.workerId, before.workerId);
      const { lost, spawned, rejected } = dispatcher.stats();
      assert.deepEqual({ lost, spawned, rejected }, { lost: 1, spawned: 2, rejected: 1 });
    },
  };
}

/** A task that ends its worker while others wait behind it, some of them sent. */
function behind(what: string, end: { readonly exitCode?: number }): CaseDraft {
  return {
    name: `after ${what} only the started task is lost; those behind run once, in their order`,
    unless: needsIsolation,
    async act(stage: Stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 4 });
      const { pid } = await dispatcher.run('tell', undefined);
      const log = scratch.path('log');
      const until = scratch.path('go');
      const started = rejectedWith(
        'ERR_WORKER_LOST',
        dispatcher.run('block', { log, mark: 'lost', until, ...end }),
      );
      const marks = ['1', '2', '3', '4', '5', '6'];
      const calls = marks.map((mark) => dispatcher.run('mark', { log, mark }));
      await scratch.reached('log', 1);
      const { inFlight } = dispatcher.stats().workers[0] ?? {};
      assert.equal(inFlight, 4, 'tasks that the worker was given');
      if (end.exitCode === undefined) process.kill(pid, 'SIGKILL');
      else scratch.touch('go');
      await started;
      assert.deepEqual(await Promise.all(calls), marks);
      assert.deepEqual(scratch.lines('log'), ['lost', ...marks]);
      assert.equal(dispatcher.stats().retried, 0);
    },
  };
}

/** Tasks that may run twice, and tasks that may not. */
export const retryCases: readonly CaseDraft[] = [
  test('without idempotent a started task never runs twice', needsIsolation, async (stage) => {
    const dispatcher = await stage.ready();
    const log = stage.scratch.path('log');
    await rejectedWith(
      'ERR_WORKER_LOST',
      dispatcher.run('exit', { code: 1, log, firstOnly: true }),
    );
    await dispatcher.run('echo', 1);
    assert.deepEqual(stage.scratch.lines('log'), ['exit 1']);
    assert.equal(dispatcher.stats().retried, 0);
  }),
  test('idempotent without retries runs once', needsIsolation, async (stage) => {
    const dispatcher = await stage.ready();
    const log = stage.scratch.path('log');
    await rejectedWith(
      'ERR_WORKER_LOST',
      dispatcher.run('exit', { code: 1, log, firstOnly: true }, { idempotent: true }),
    );
    await dispatcher.run('echo', 1);
    assert.deepEqual(stage.scratch.lines('log'), ['exit 1']);
  }),
  test(
    'idempotent with retries runs anew after a loss, as attempt 2 of the same call',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready();
      const log = stage.scratch.path('log');
      const options = { idempotent: true, retries: 1 };
      const attempts: unknown[] = [];
      const { name: own } = dispatcher.stats();
      // A host in this process has a pool of its own, with calls of its own.
      const note = (message: unknown): void => {
        const { attempt, name, run } = message as { attempt: number } & Record<string, unknown>;
        const { name: owner } = (run ?? { name }) as { name: unknown };
        if (owner === own) attempts.push(attempt);
      };
      // Only calls with a subscriber from their start on are published.
      const names = ['ticketing:dispatch:retry', 'tracing:ticketing:dispatch:run:asyncEnd'];
      for (const name of names) subscribe(name, note);
      try {
        const call = dispatcher.run('exit', { code: 1, log, firstOnly: true }, options);
        assert.equal(await call, 2);
      } finally {
        for (const name of names) unsubscribe(name, note);
      }
      assert.deepEqual(attempts, [1, 2]);
      assert.deepEqual(stage.scratch.lines('log'), ['exit 1', 'exit 2']);
      const { retried, completed, rejected: lost } = dispatcher.stats();
      assert.deepEqual({ retried, completed, lost }, { retried: 1, completed: 1, lost: 0 });
    },
  ),
  test(
    'after its last retry a call rejects with ERR_WORKER_LOST',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready({ restart: { backoffMs: [1, 5] } });
      const log = stage.scratch.path('log');
      await rejectedWith(
        'ERR_WORKER_LOST',
        dispatcher.run('exit', { code: 1, log }, { idempotent: true, retries: 2 }),
      );
      assert.deepEqual(stage.scratch.lines('log'), ['exit 1', 'exit 2', 'exit 3']);
      assert.equal(dispatcher.stats().retried, 2);
    },
  ),
  test('an error of a task is no loss, and is not retried', async (stage) => {
    const dispatcher = await stage.ready();
    const options = { idempotent: true, retries: 5 };
    const error = await rejected(dispatcher.run('fail', 'coded', options));
    assert.equal((error as { code?: unknown }).code, 'ENOENT');
    assert.equal(dispatcher.stats().retried, 0);
  }),
  test('retries without idempotent are refused', async (stage) => {
    const dispatcher = await stage.ready();
    const error = await rejected(dispatcher.run('echo', 1, { retries: 1 }));
    assert.ok(error instanceof TypeError, `a TypeError, got ${error}`);
  }),
];
