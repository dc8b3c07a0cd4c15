import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeEach, expect, test } from 'vitest';
import type { FromWorker } from '../src/contract/frames.ts';
import type { TaskHooks, TaskMap, TaskModule } from '../src/contract/task.ts';
import type { WorkerEnd, WorkerHandle } from '../src/contract/transport.ts';
import { defineTasks } from '../src/define-tasks.ts';
import {
  createInProcessDispatcher,
  createInProcessTransport,
} from '../src/in-process/create-in-process-dispatcher.ts';
import { rawJson, transferred } from '../src/task-results.ts';
import { spend, standingTime } from './standing-time.ts';
import { runFrame } from './wire-fixture.ts';
import { moduleOf } from './worker/serve-tasks-fixture.ts';
import { defer } from './worker/task-runner-fixture.ts';

beforeEach(standingTime);

interface Spawned {
  readonly worker: WorkerHandle;
  /** Frames of each call of the transport. */
  readonly calls: (readonly FromWorker[])[];
  readonly ends: WorkerEnd[];
}

function spawn(tasks: TaskMap, hooks: TaskHooks = {}, module?: URL): Spawned {
  const calls: (readonly FromWorker[])[] = [];
  const ends: WorkerEnd[] = [];
  const transport = createInProcessTransport(defineTasks(tasks, hooks));
  const worker = transport.spawn(
    { workerId: 3, slot: 0, module },
    { frames: (frames) => calls.push(frames), exit: (end) => ends.push(end) },
  );
  return { worker, calls, ends };
}

/** Lets the event loop come round. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function ready(tasks: TaskMap, hooks?: TaskHooks): Promise<Spawned> {
  const spawned = spawn(tasks, hooks);
  await turn();
  expect(spawned.calls.splice(0)).toEqual([[{ kind: 'ready', tasks: Object.keys(tasks) }]]);
  return spawned;
}

const ended: WorkerEnd = { exitCode: undefined, signal: undefined, stderrTail: '' };

test('the transport states its capabilities', async () => {
  const transport = createInProcessTransport(defineTasks({ search: () => 1 }));
  expect(transport).toMatchObject({
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: false, streams: true },
    autoWindow: { first: 1024, max: 1024 },
  });
  await expect(transport.close()).resolves.toBeUndefined();
  const cloning = createInProcessTransport(defineTasks({ search: () => 1 }), { clone: true });
  expect(cloning.capabilities).toEqual({
    isolation: 'none',
    hardKill: false,
    transfer: true,
    streams: true,
  });
});

test.each([false, true])('a worker has the slot of its start, with clone %s', (clone) => {
  const transport = createInProcessTransport(defineTasks({ search: () => 1 }), { clone });
  const events = { frames: () => {}, exit: () => {} };
  const worker = transport.spawn({ workerId: 3, slot: 2, module: undefined }, events);
  expect(worker.slot).toBe(2);
  worker.kill();
});

test('with clone a test meets what production does', async () => {
  class Seat {
    number = 12;
  }
  const kept = new Uint8Array(4);
  const given: unknown[] = [];
  const tasks = defineTasks({
    take(input: unknown) {
      given.push(input);
      return transferred(kept, [kept.buffer]);
    },
    double: () => () => 2,
    fail() {
      throw Object.assign(new Error('sold out'), { seat: new Seat(), undo: () => {} });
    },
  });
  await using dispatcher = createInProcessDispatcher(tasks, { clone: true });
  const bytes = new Uint8Array(3);
  const answer = await dispatcher.run(
    'take',
    { bytes, seat: new Seat() },
    {
      transfer: [bytes.buffer],
    },
  );
  expect(given).toStrictEqual([{ bytes: new Uint8Array(3), seat: { number: 12 } }]);
  expect(answer).toEqual(new Uint8Array(4));
  expect([bytes.byteLength, kept.byteLength]).toEqual([0, 0]);
  await expect(dispatcher.run('take', () => 1)).rejects.toMatchObject({
    code: 'ERR_NOT_CLONEABLE',
  });
  await expect(dispatcher.run('double')).rejects.toMatchObject({ code: 'ERR_NOT_CLONEABLE' });
  const error = await dispatcher.run('fail').catch((reason: unknown) => reason);
  expect(Object.keys(error as object)).toEqual(['seat']);
  expect(dispatcher.stats().workers).toMatchObject([{ slot: 0, utilisation: undefined }]);
});

test('with clone a worker whose module fails ends, and one that hangs is let go', async () => {
  const failing = createInProcessDispatcher(
    defineTasks({ a: () => 1 }, { setup: () => Promise.reject(new Error('no database')) }),
    { clone: true, restart: { maxFailures: 0 } },
  );
  await expect(failing.ready()).rejects.toMatchObject({ cause: { message: 'no database' } });
  await failing.close();
  const signals: AbortSignal[] = [];
  const tasks = defineTasks({
    hang(_input: undefined, { signal }) {
      signals.push(signal);
      return new Promise<void>(() => {});
    },
  });
  const hanging = createInProcessDispatcher(tasks, { clone: true });
  const call = hanging.run('hang').catch((error: { code: string }) => error.code);
  await hanging.ready();
  await turn();
  await hanging.close({ graceMs: 0 });
  expect([await call, signals[0]?.aborted]).toEqual(['ERR_CLOSED', true]);
});

test('createInProcessTransport() throws ERR_BAD_MODULE for what defineTasks has not made', () => {
  expect(() =>
    createInProcessTransport({ search: () => 1 } as unknown as TaskModule<TaskMap>),
  ).toThrow(
    expect.objectContaining({
      code: 'ERR_BAD_MODULE',
      message:
        'Cannot create dispatcher: `module` must be made by `defineTasks`, got an object with search',
    }),
  );
});

test('no frame arrives during spawn() and send(), then all frames in one call', async () => {
  const { worker, calls } = await ready({ search: (input) => input });
  expect(worker.pid).toBe(process.pid);
  expect(worker.send([runFrame(1, 'a'), runFrame(2, 'b', { announce: true })])).toEqual([]);
  worker.send([runFrame(3, 'c')]);
  expect(calls).toEqual([]);
  expect(worker.started()).toBe(3);
  await Promise.resolve();
  expect(calls).toMatchObject([
    [
      { kind: 'done', seq: 1, value: 'a' },
      { kind: 'started', seq: 2 },
      { kind: 'done', seq: 2, value: 'b' },
      { kind: 'done', seq: 3, value: 'c' },
    ],
  ]);
});

test('inputs, results and buffers are passed on as they are', async () => {
  const buffer = new ArrayBuffer(8);
  const { worker, calls } = await ready({
    search: (input) => input,
    moved: (input) => transferred(input, [buffer]),
    json: () => rawJson([1]),
  });
  const input = { call: (): void => {}, buffer };
  worker.send([
    runFrame(1, input, { transfer: [buffer] }),
    runFrame(2, input, { task: 'moved' }),
    runFrame(3, 0, { task: 'json' }),
  ]);
  await turn();
  const values = calls.flat().map((frame) => (frame as { value: unknown }).value);
  expect(values[0]).toBe(input);
  expect(values[1]).toBe(input);
  expect(values[2]).toEqual(Buffer.from('[1]'));
  expect(buffer.byteLength).toBe(8);
});

test('frames that come before the end of setup are applied afterwards', async () => {
  const setup = defer();
  const { worker, calls, ends } = spawn(
    { search: (input) => input },
    { setup: () => setup.promise },
  );
  worker.send([runFrame(1, 'early'), { kind: 'stop' }]);
  await turn();
  expect(calls).toEqual([]);
  expect(worker.started()).toBe(0);
  setup.resolve();
  await turn();
  expect(calls.flat()).toMatchObject([{ kind: 'ready' }, { kind: 'done', value: 'early' }]);
  expect(ends).toEqual([ended]);
});

test('a setup that throws is a failed start, and the worker ends', async () => {
  const error = new Error('no database');
  const setup = (): never => {
    throw error;
  };
  const { calls, ends } = spawn({ search: () => 1 }, { setup });
  expect([calls, ends]).toEqual([[], []]);
  await turn();
  expect(calls).toEqual([[{ kind: 'start-failed', error, final: false }]]);
  expect(ends).toEqual([ended]);
});

test('a worker of another module imports it', async () => {
  const { worker, calls } = spawn({ search: () => 1 }, {}, new URL(moduleOf('{ price: () => 5 }')));
  await new Promise<void>((resolve) => {
    const look = (): void => void (calls.length > 0 ? resolve() : setImmediate(look));
    look();
  });
  expect(calls.splice(0)).toEqual([[{ kind: 'ready', tasks: ['price'] }]]);
  worker.send([runFrame(1, 0, { task: 'price' })]);
  await turn();
  expect(calls).toMatchObject([[{ kind: 'done', value: 5 }]]);
});

test('a module that exports no tasks is a failed start that is final', async () => {
  const { calls, ends } = spawn({ search: () => 1 }, {}, new URL('data:text/javascript,export {}'));
  await new Promise<void>((resolve) => {
    const look = (): void => void (ends.length > 0 ? resolve() : setImmediate(look));
    look();
  });
  expect(calls).toMatchObject([
    [{ kind: 'start-failed', error: { code: 'ERR_BAD_MODULE' }, final: true }],
  ]);
  expect(ends).toEqual([ended]);
});

test('stop waits for running tasks and for teardown, and then the worker ends once', async () => {
  const slow = defer();
  const teardown = defer();
  const { worker, calls, ends } = await ready(
    { search: () => slow.promise },
    { teardown: () => teardown.promise },
  );
  worker.send([runFrame(1, 0), { kind: 'stop' }]);
  slow.resolve();
  await turn();
  expect(calls.flat()).toMatchObject([{ kind: 'done' }]);
  expect(ends).toEqual([]);
  teardown.resolve();
  await turn();
  worker.kill();
  await turn();
  expect(ends).toEqual([ended]);
});

test('a teardown that fails is the cause of the end', async () => {
  const error = new Error('x');
  const { worker, ends } = await ready(
    { search: () => 1 },
    { teardown: () => Promise.reject(error) },
  );
  worker.send([{ kind: 'stop' }]);
  await turn();
  expect(ends).toEqual([{ ...ended, cause: error }]);
});

test('after kill() no outcome is sent and no task starts, and the worker ends once', async () => {
  const slow = defer();
  const spin = (): void => spend(1.5);
  const { worker, calls, ends } = await ready({ search: () => slow.promise, spin });
  worker.send([runFrame(1, 0), runFrame(2, 0, { task: 'spin' }), runFrame(3, 0)]);
  worker.kill();
  worker.kill();
  expect(ends).toEqual([]);
  slow.resolve();
  await turn();
  await turn();
  // What was known before arrives before the end.
  expect(calls).toMatchObject([[{ kind: 'done', seq: 2 }]]);
  expect(ends).toEqual([ended]);
  expect(worker.started()).toBe(2);
});

test('a worker that is killed while it starts only ends', async () => {
  const setup = defer();
  const { worker, calls, ends } = spawn({ search: () => 1 }, { setup: () => setup.promise });
  worker.send([runFrame(1, 0)]);
  worker.kill();
  expect(ends).toEqual([]);
  setup.resolve();
  await turn();
  expect([calls, ends, worker.started()]).toEqual([[], [ended], 0]);
});

test('tasks and hooks see the async context of the transport, whoever spawned and sent', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const look = (): void => void seen.push(storage.getStore());
  const transport = storage.run('maker', () =>
    createInProcessTransport(defineTasks({ search: look }, { setup: look, teardown: look })),
  );
  const worker = storage.run('spawner', () =>
    transport.spawn(
      { workerId: 1, slot: 0, module: undefined },
      { frames: () => {}, exit: () => {} },
    ),
  );
  await turn();
  storage.run('caller', () => worker.send([runFrame(1, 0), { kind: 'stop' }]));
  await turn();
  expect(seen).toEqual(['maker', 'maker', 'maker']);
});

test('maxQueue holds without a window too: 1024 tasks are under way, and no more wait than it permits', async () => {
  const { promise, resolve } = defer();
  const tasks = defineTasks({ wait: () => promise });
  const dispatcher = createInProcessDispatcher(tasks, { maxQueue: 2 });
  await dispatcher.ready();
  const calls = Array.from({ length: 1030 }, () => dispatcher.run('wait', undefined));
  const settled = Promise.allSettled(calls);
  expect(dispatcher.stats()).toMatchObject({ running: 1024, queued: 2, rejected: 4 });
  resolve();
  const refused = (await settled).flatMap((each) =>
    each.status === 'rejected' ? each.reason : [],
  );
  expect(refused.map(({ code }) => code)).toEqual(Array(4).fill('ERR_QUEUE_FULL'));
  await dispatcher.close();
});
