import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../src/contract/task.ts';
import { defineTasks } from '../../src/define-tasks.ts';
import { rawJson, transferred } from '../../src/task-results.ts';
import { TaskRunner } from '../../src/worker/task-runner.ts';
import { runFrame } from '../wire-fixture.ts';
import { createRig, defer, settle } from './task-runner-fixture.ts';

test('tasks start in the order of seq, each claimed and announced before it is called', () => {
  const rig = createRig({
    first: () => void rig.log.push('in first'),
    second: () => void rig.log.push('in second'),
  });
  rig.run({ seq: 1, task: 'first', announce: true }, { seq: 2, task: 'second' });
  expect(rig.log).toEqual([
    'claimed 1',
    'started 1',
    'in first',
    'done 1',
    'claimed 2',
    'in second',
    'done 2',
  ]);
});

test('a call that was taken back is dropped, and its task is not called', () => {
  const rig = createRig({ search: () => void rig.log.push('called') }, {}, new Set([2]));
  rig.run({ seq: 1 }, { seq: 2, announce: true }, { seq: 3 });
  expect(rig.log).toEqual([
    ...['claimed 1', 'called', 'done 1'],
    ...['claimed 2', 'dropped 2'],
    ...['claimed 3', 'called', 'done 3'],
  ]);
});

test('a task gets its input, its context, and its siblings as this', () => {
  let seen: unknown;
  const rig = createRig({
    search(input: string, context: TaskContext) {
      const { id, attempt, deadline, workerId, metadata } = context;
      seen = { input, id, attempt, deadline, workerId, metadata, sibling: typeof this.price };
    },
    price: () => 5,
  } as Record<'search' | 'price', (this: { price: unknown }) => unknown>);
  const metadata = { trace: 'x' };
  const deadline = Date.now() + 60_000;
  rig.run({ seq: 1, input: 'in', id: 9, attempt: 2, deadline, metadata });
  const more = { id: 9, attempt: 2, deadline, workerId: 3, metadata, sibling: 'function' };
  expect(seen).toEqual({ input: 'in', ...more });
  rig.run({ seq: 2 });
  expect(seen).toMatchObject({ metadata: {}, deadline: undefined });
});

test('a result is sent with the milliseconds that the task took', async () => {
  const rig = createRig({
    slow: () => {
      rig.advance(0.5);
      return 'sync';
    },
    later: () => Promise.resolve('async'),
  });
  rig.run({ seq: 1, task: 'slow' }, { seq: 2, task: 'later' });
  rig.advance(7);
  await settle();
  expect(rig.told).toEqual([
    { kind: 'done', seq: 1, value: 'sync', runMs: 0.5 },
    { kind: 'done', seq: 2, value: 'async', runMs: 7 },
  ]);
});

const thenable = (settle: (resolve: (value: unknown) => void) => void): unknown => ({
  // biome-ignore lint/suspicious/noThenProperty: what a task may return
  then: settle,
});
const thrown = new Error('no seats');

test.each<[string, () => unknown, object]>([
  ['throws', () => raise(thrown), { kind: 'failed', error: thrown }],
  ['throws undefined', () => raise(undefined), { kind: 'failed', error: undefined }],
  ['rejects', () => Promise.reject(thrown), { kind: 'failed', error: thrown }],
  ['rejects with undefined', () => Promise.reject(), { kind: 'failed', error: undefined }],
  ['gives a thenable', () => thenable((resolve) => resolve(5)), { kind: 'done', value: 5 }],
  [
    'gives a thenable that resolves twice and throws',
    () =>
      thenable((resolve) => {
        resolve(5);
        resolve(6);
        raise(thrown);
      }),
    { kind: 'done', value: 5 },
  ],
  [
    'gives a thenable that throws',
    () => thenable(() => raise(thrown)),
    { kind: 'failed', error: thrown },
  ],
  [
    'gives an object whose then throws when it is read',
    () => Object.defineProperty({}, 'then', { get: () => raise(thrown) }),
    { kind: 'failed', error: thrown },
  ],
  [
    'gives a promise with a then of its own that calls back twice',
    () =>
      Object.defineProperty(Promise.resolve(), 'then', {
        value: (call: (value: unknown) => void) => [call(1), call(2)],
      }),
    { kind: 'done', value: 1 },
  ],
  ['gives JSON', () => rawJson({ a: 1 }), { kind: 'done', value: Buffer.from('{"a":1}') }],
  ['gives null', () => null, { kind: 'done', value: null }],
])('a task that %s settles once, and nothing escapes', async (_name, task, expected) => {
  const rig = createRig({ task });
  rig.run({ seq: 1, task: 'task' });
  await settle();
  expect(rig.told).toEqual([{ seq: 1, runMs: 0, ...expected }]);
});

function raise(error: unknown): never {
  throw error;
}

test('a transferred result is left for the codec', () => {
  const bytes = new Uint8Array(1);
  const value = transferred(bytes, [bytes.buffer]);
  const rig = createRig({ search: () => value });
  rig.run({ seq: 1 });
  expect(rig.told).toMatchObject([{ kind: 'done', value }]);
});

test.each(['foo', 'constructor', '__proto__', 'toString'])('%s is an unknown task', (task) => {
  const rig = createRig({ search: () => 1, price: () => 2 });
  rig.run({ seq: 1, task }, { seq: 2 });
  expect(rig.told).toMatchObject([
    {
      kind: 'failed',
      seq: 1,
      error: {
        code: 'ERR_UNKNOWN_TASK',
        message: `Cannot run task: unknown task \`${task}\`; known are search, price`,
      },
    },
    { kind: 'done', seq: 2 },
  ]);
});

test('an abort reaches the signal with its reason, and the outcome is still sent', async () => {
  const reason = new Error('enough');
  const rig = createRig({
    search: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  rig.run({ seq: 1 });
  rig.runner.accept([{ kind: 'abort', seq: 1, reason }]);
  rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'again' }]);
  await settle();
  expect(rig.told).toEqual([{ kind: 'failed', seq: 1, error: reason, runMs: 0 }]);
});

test('a signal that is read after the abort is aborted, and a task may ignore it', async () => {
  const turn = defer();
  const rig = createRig({
    search: async (_input, context) => {
      await turn.promise;
      return [context.signal.aborted, context.signal.reason, context.signal];
    },
  });
  rig.run({ seq: 1 });
  rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'enough' }]);
  turn.resolve();
  await settle();
  expect(rig.told).toMatchObject([{ kind: 'done', value: [true, 'enough', { aborted: true }] }]);
});

test('a task that waits is dropped by an abort, also one that came in the same message', () => {
  const rig = createRig({ search: () => rig.advance(2) });
  rig.runner.accept([
    runFrame(1, 1),
    runFrame(2, 2),
    runFrame(3, 3),
    runFrame(4, 4),
    { kind: 'abort', seq: 2, reason: 'enough' },
  ]);
  rig.runner.accept([
    { kind: 'abort', seq: 3, reason: 'enough' },
    { kind: 'abort', seq: 3, reason: 'again' },
  ]);
  rig.turn();
  expect(rig.log).toEqual(['dropped 2', 'claimed 1', 'done 1', 'dropped 3', 'claimed 4', 'done 4']);
});

test('aborts of settled and unknown tasks are ignored', () => {
  const rig = createRig({ search: () => 1 });
  rig.run({ seq: 1 });
  rig.runner.accept([
    { kind: 'abort', seq: 1, reason: 0 },
    { kind: 'abort', seq: 9, reason: 0 },
  ]);
  rig.run({ seq: 2 });
  expect(rig.log).toEqual(['claimed 1', 'done 1', 'claimed 2', 'done 2']);
});

test('after a millisecond of tasks the rest waits for the event loop', () => {
  const rig = createRig({ search: () => rig.advance(0.6) });
  rig.run(...Array.from({ length: 5 }, (_, index) => ({ seq: index + 1 })));
  expect(rig.told).toHaveLength(2);
  rig.run({ seq: 6 });
  expect(rig.told).toHaveLength(2);
  rig.turn();
  expect(rig.told).toHaveLength(4);
  rig.turn();
  expect(rig.told).toMatchObject([1, 2, 3, 4, 5, 6].map((seq) => ({ seq })));
});

test('tasks that a task has sent run after it', () => {
  const rig = createRig({
    outer: () => {
      rig.run({ seq: 3, task: 'inner' });
      rig.log.push('end of outer');
    },
    inner: () => 1,
  });
  rig.run({ seq: 1, task: 'outer' }, { seq: 2, task: 'inner' });
  const { log } = rig;
  expect(log).toEqual([
    'claimed 1',
    'end of outer',
    'done 1',
    'claimed 2',
    'done 2',
    'claimed 3',
    'done 3',
  ]);
});

test('a task may abort itself while its code is on the stack', () => {
  const rig = createRig({
    search: (_input, { signal }) => {
      rig.runner.accept([{ kind: 'abort', seq: 1, reason: 'own' }]);
      return signal.reason;
    },
  });
  rig.run({ seq: 1 });
  expect(rig.told).toMatchObject([{ kind: 'done', value: 'own' }]);
});

test('progress is sent in order, and ignored once the task has settled', async () => {
  let late: (() => void) | undefined;
  const rig = createRig({
    search: async (_input, context) => {
      context.progress(1);
      await Promise.resolve();
      context.progress(2);
      late = () => context.progress(3);
    },
  });
  rig.run({ seq: 1 });
  await settle();
  late?.();
  expect(rig.log).toEqual(['claimed 1', 'progress 1', 'progress 1', 'done 1']);
});

test('no task sees the async context of its caller or of another task', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const rig = createRig(
    {
      search: (input: string, { signal }) => {
        seen.push(storage.getStore());
        signal.addEventListener('abort', () => seen.push(storage.getStore()));
        storage.enterWith(input);
        return new Promise(() => {});
      },
    },
    { health: () => void seen.push(storage.getStore()) },
  );
  storage.run('caller', () =>
    rig.runner.accept([runFrame(1, 'first'), runFrame(2, 'second'), { kind: 'health' }]),
  );
  storage.run('other', () => rig.runner.accept([{ kind: 'abort', seq: 2, reason: 0 }]));
  await settle();
  expect(seen).toEqual([undefined, undefined, undefined, undefined]);
});

test('start() runs setup and then sends the names of the tasks', async () => {
  const ready = defer();
  let worker: unknown;
  const setup = (given: unknown): Promise<void> => {
    worker = given;
    return ready.promise;
  };
  const rig = createRig({ search: () => 1, price: () => 2 }, { setup });
  const start = rig.runner.start();
  await settle();
  expect(rig.told).toEqual([]);
  ready.resolve();
  await start;
  expect(worker).toEqual({ workerId: 3, slot: 0 });
  expect(rig.told).toEqual([{ kind: 'ready', tasks: ['search', 'price'] }]);
});

test('start() rejects with what setup throws', async () => {
  const setup = (): never => raise(thrown);
  await expect(createRig({ search: () => 1 }, { setup }).runner.start()).rejects.toBe(thrown);
});

test.each<[string, (() => unknown) | undefined, object]>([
  ['without a hook', undefined, { kind: 'healthy' }],
  ['with a hook that agrees', () => Promise.resolve(), { kind: 'healthy' }],
  ['with a hook that throws', () => raise(thrown), { kind: 'healthy', error: thrown }],
  ['with a hook that rejects', () => Promise.reject(), { kind: 'healthy', error: undefined }],
])('health is answered %s', async (_name, health, expected) => {
  const rig = createRig({ search: () => 1 }, health && { health });
  rig.runner.accept([{ kind: 'health' }]);
  await settle();
  expect(rig.told).toStrictEqual([expected]);
});

test('stop waits for running and waiting tasks, then tears down', async () => {
  const slow = defer();
  const rig = createRig(
    { search: () => rig.advance(2), slow: () => slow.promise },
    { teardown: () => void rig.log.push('teardown') },
  );
  rig.runner.accept([
    runFrame(1, 0, { task: 'slow' }),
    runFrame(2, 0),
    runFrame(3, 0),
    { kind: 'stop' },
  ]);
  rig.turn();
  await settle();
  expect(rig.stopped).toBe('not yet');
  slow.resolve();
  await settle();
  expect(rig.log.slice(-2)).toEqual(['done 1', 'teardown']);
  expect(rig.stopped).toBeUndefined();
});

test('a task whose deadline has passed is dropped, and not claimed', async () => {
  const rig = createRig({ search: () => {} });
  await rig.runner.start();
  rig.run({ seq: 1, deadline: 1 }, { seq: 2, deadline: Date.now() + 60_000 }, { seq: 3 });
  const all = ['ready', 'dropped 1', 'claimed 2', 'done 2', 'claimed 3', 'done 3'];
  expect(rig.log).toEqual(all);
});

test('tasks that come after teardown has begun are dropped', async () => {
  const rig = createRig({ search: () => 1 });
  rig.runner.accept([{ kind: 'stop' }]);
  rig.run({ seq: 1 });
  await settle();
  expect(rig.log).toEqual(['dropped 1']);
  expect(rig.stopped).toBeUndefined();
});

test('a failed teardown is reported', async () => {
  const rig = createRig({ search: () => 1 }, { teardown: () => raise(thrown) });
  rig.runner.accept([{ kind: 'stop' }]);
  await settle();
  expect(rig.stopped).toEqual({ error: thrown });
});

test('a task that was lost with a worker behind this one is reported as lost', () => {
  const told: unknown[] = [];
  const tasks = {
    lost: () => raise(thrown),
    failed: () => raise('another error'),
  };
  const runner = new TaskRunner(defineTasks(tasks), {
    workerId: 3,
    slot: 0,
    emit: (frame) => told.push(frame),
    claim: () => true,
    stopped: () => {},
    isLoss: (error) => error === thrown,
    now: () => 0,
  });
  runner.accept([
    runFrame(1, undefined, { task: 'lost' }),
    runFrame(2, undefined, { task: 'failed' }),
  ]);
  expect(told).toEqual([
    { kind: 'lost', seq: 1, error: thrown },
    { kind: 'failed', seq: 2, error: 'another error', runMs: 0 },
  ]);
});

test.each<[string, (rig: ReturnType<typeof createRig>) => void]>([
  ['teardown', ({ runner }) => runner.accept([{ kind: 'stop' }])],
  ['halt()', ({ runner }) => runner.halt()],
  ['abandon()', ({ runner }) => runner.abandon('gone')],
])('the async context of a worker is destroyed once, by %s', async (_name, end) => {
  const open = new Set<number>();
  let destroyed = 0;
  const hook = createHook({
    init(id, type) {
      if (type === 'ticketing.dispatch') open.add(id);
    },
    destroy(id) {
      if (open.has(id)) destroyed += 1;
    },
  }).enable();
  const rig = createRig({ search: () => 1 });
  end(rig);
  await settle();
  end(rig);
  // The platform reports them in the next turn.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  hook.disable();
  expect([open.size, destroyed]).toEqual([1, 1]);
});

test('after halt() no task starts and no frame is sent', async () => {
  const slow = defer();
  const rig = createRig({ search: () => rig.advance(2), slow: () => slow.promise });
  rig.run({ seq: 1, task: 'slow' }, { seq: 2 }, { seq: 3 });
  rig.runner.halt();
  slow.resolve();
  rig.turn();
  await settle();
  expect(rig.log).toEqual(['claimed 1', 'claimed 2', 'done 2']);
});
