import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { turns, until } from '@ticketing/test-kit';
import { beforeEach, expect, test } from 'vitest';
import type { FromWorker, RunFrame, ToWorker } from '../../src/contract/frames.ts';
import type { Movable } from '../../src/contract/task.ts';
import { decodeFromWorker } from '../../src/wire/from-worker-codec.ts';
import { encodeToWorker, postToWorker } from '../../src/wire/to-worker-codec.ts';
import { serveTasks } from '../../src/worker/serve-tasks.ts';
import { spend, standingTime } from '../standing-time.ts';
import { channels, processChannel, runFrame, threadChannel } from '../wire-fixture.ts';
import { moduleOf, readyRig, serveRig } from './serve-tasks-fixture.ts';

const echo = moduleOf('{ search: (input) => input, later: async (input) => input }');
/** A task that takes a millisecond and a half by the clock that the worker reads. */
const spin = '{ search: () => globalThis.spend(1.5) }';

beforeEach(standingTime);

function settled(count: number): (log: readonly (FromWorker | string)[]) => boolean {
  return (log) =>
    log.filter(
      (each) => typeof each === 'object' && ['done', 'failed', 'dropped'].includes(each.kind),
    ).length >= count;
}

test.each(channels)('over the channel of %s tasks are run and answered', async (_name, channel) => {
  const rig = serveRig(echo, channel);
  await rig.until((log) => log.length === 1);
  expect(rig.log).toEqual([{ kind: 'ready', tasks: ['search', 'later'] }]);
  rig.send(runFrame(1, { a: [1] }), runFrame(2, new Set([1]), { task: 'later' }));
  await rig.until(settled(2));
  expect(rig.log.slice(1)).toMatchObject([
    'claimed 1',
    'claimed 2',
    { kind: 'done', seq: 1, value: { a: [1] } },
    { kind: 'done', seq: 2, value: new Set([1]) },
  ]);
});

test('frames that come before the module is ready are applied afterwards', async () => {
  const rig = serveRig(echo);
  rig.send(runFrame(1, 'early'), { kind: 'stop' });
  await rig.until((log) => log.at(-1) === 'exit 0');
  expect(rig.log).toMatchObject([
    { kind: 'ready' },
    'claimed 1',
    { kind: 'done', value: 'early' },
    'exit 0',
  ]);
});

test.each<[string, string, object]>([
  [
    'exports no tasks',
    'data:text/javascript,export default 5',
    { final: true, error: { code: 'ERR_BAD_MODULE' } },
  ],
  [
    'cannot be parsed',
    'data:text/javascript,export default {',
    { final: true, error: { name: 'SyntaxError' } },
  ],
  [
    'throws when it is loaded',
    'data:text/javascript,throw new RangeError("not today")',
    { final: false, error: { name: 'RangeError', message: 'not today' } },
  ],
  [
    'fails in setup',
    moduleOf('{ search: () => 1 }', '{ setup: async () => { throw undefined } }'),
    { final: false, error: undefined },
  ],
])('a module that %s is reported, and the worker exits', async (_name, module, expected) => {
  const rig = serveRig(module);
  await rig.until((log) => log.at(-1) === 'exit 1');
  expect(rig.log).toMatchObject([{ kind: 'start-failed', ...expected }, 'exit 1']);
});

test('answers to one message go out together, after the current callbacks', async () => {
  const rig = await readyRig(echo);
  rig.send(runFrame(1, 1), runFrame(2, 2), runFrame(3, 3, { task: 'later' }));
  expect(rig.messages).toEqual([]);
  await rig.until(settled(3));
  expect(rig.messages).toHaveLength(1);
});

test.each([
  [0, [6]],
  [6, [2, 2, 2]],
  [12, [4, 2]],
  [2, [1, 1, 1, 1, 1, 1]],
  [48, [6]],
])('with %i calls in flight six answers go out in messages of %j', async (inFlight, sizes) => {
  const rig = await readyRig(echo);
  const frames = [1, 2, 3, 4, 5, 6].map((seq) => runFrame(seq, seq));
  for (const { message } of encodeToWorker(frames, processChannel, inFlight).messages) {
    rig.served.receive(message);
  }
  await rig.until(settled(6));
  expect(rig.messages.map(({ length }) => length)).toEqual(sizes);
});

test('answers that have waited for a millisecond go out between tasks', async () => {
  const rig = await readyRig(moduleOf(spin.replace('{', '{ quick: () => 1,')));
  rig.send(runFrame(1, 0, { task: 'quick' }), runFrame(2, 0));
  expect(rig.messages.flat()).toMatchObject([{ seq: 1 }, { seq: 2 }]);
});

test('started goes out before its task is called', async () => {
  const rig = await readyRig(moduleOf(spin));
  rig.send(runFrame(1, 0, { announce: true }));
  expect(rig.log).toEqual(['claimed 1', { kind: 'started', seq: 1 }]);
  await rig.until(settled(1));
});

test('a call that was taken back is dropped, and reported before the next task is called', async () => {
  const rig = await readyRig(moduleOf(spin), undefined, new Set([1, 2]));
  rig.send(runFrame(1, 0), runFrame(2, 0), runFrame(3, 0));
  const dropped = [
    { kind: 'dropped', seq: 1 },
    { kind: 'dropped', seq: 2 },
  ];
  expect(rig.messages).toEqual([dropped]);
  await rig.until(settled(3));
  expect(rig.log).toMatchObject(['claimed 1', 'claimed 2', 'claimed 3', ...dropped, { seq: 3 }]);
});

test('of messages that came together an abort is seen before its call begins', async () => {
  const rig = await readyRig(echo);
  const abort: ToWorker = { kind: 'abort', seq: 1, reason: undefined };
  const sent = [[runFrame(1, 1), runFrame(2, 2)], [abort]].flatMap(
    (frames) => encodeToWorker(frames, processChannel).messages,
  );
  rig.served.receiveAll(sent.map(({ message }) => message));
  await rig.until(settled(2));
  expect(rig.log).toMatchObject(['claimed 2', { kind: 'dropped', seq: 1 }, { seq: 2 }]);
});

test('after a millisecond of tasks the event loop has a turn, and an abort is read in time', async () => {
  const rig = await readyRig(moduleOf(spin));
  rig.send(runFrame(1, 0), runFrame(2, 0), runFrame(3, 0));
  expect(rig.log).toEqual(['claimed 1']);
  rig.send({ kind: 'abort', seq: 2, reason: 'enough' });
  await rig.until(settled(3));
  expect(rig.log).not.toContain('claimed 2');
  expect(rig.log).toContainEqual({ kind: 'dropped', seq: 2 });
});

test('flush() sends waiting answers, as for a task that exits the process', async () => {
  const rig = await readyRig(echo);
  rig.send(runFrame(1, 1));
  rig.served.flush();
  expect(rig.messages).toMatchObject([[{ kind: 'done', seq: 1 }]]);
  rig.served.flush();
  expect(rig.messages).toHaveLength(1);
});

test.each(channels)(
  'over the channel of %s what cannot be cloned fails its task alone',
  async (_name, channel) => {
    const tasks = `{
      search: (input) => input,
      call: () => () => 1,
      nest: () => ({ inner: Symbol('x') }),
      report: async (input, { progress }) => 1,
      tell: async (input, context) => { context.progress(() => 1); context.progress(2); return 3 },
    }`;
    const rig = await readyRig(moduleOf(tasks), channel);
    const names = ['search', 'call', 'nest', 'tell', 'search'];
    rig.send(...names.map((task, index) => runFrame(index + 1, index, { task })));
    await rig.until(settled(5));
    await new Promise(setImmediate);
    const told = rig.log.filter((each) => typeof each === 'object');
    const cause = expect.objectContaining({ name: 'DataCloneError' });
    const refused = (what: string, got: string): object => ({
      code: 'ERR_NOT_CLONEABLE',
      message: `Cannot send ${what}: ${got} could not be cloned`,
      cause,
    });
    expect(told).toHaveLength(5);
    expect(told).toEqual(
      expect.arrayContaining(
        [
          { kind: 'done', seq: 1, value: 0 },
          { kind: 'failed', seq: 2, error: refused('the result of task `call`', '() => 1') },
          { kind: 'failed', seq: 3, error: refused('the result of task `nest`', 'Symbol(x)') },
          { kind: 'failed', seq: 4, error: refused('progress of task `tell`', '() => 1') },
          { kind: 'done', seq: 5, value: 4 },
        ].map(({ error, ...frame }) =>
          expect.objectContaining({
            ...frame,
            ...(error && { error: expect.objectContaining(error) }),
          }),
        ),
      ),
    );
  },
);

test('a result that changes after it was returned arrives as it was', async () => {
  const rig = await readyRig(
    moduleOf('((count) => ({ search: () => { count.n += 1; return count } }))({ n: 0 })'),
  );
  rig.send(runFrame(1, 0), runFrame(2, 0));
  await rig.until(settled(2));
  expect(rig.messages.flat()).toMatchObject([{ value: { n: 1 } }, { value: { n: 2 } }]);
});

test.each([10, 100_000])(
  'bytes that change after they were returned arrive as they were: %i',
  async (size) => {
    const tasks = `((bytes) => ({ search: (input) => bytes.fill(input) }))(Buffer.alloc(${size}))`;
    const rig = await readyRig(moduleOf(tasks));
    rig.send(runFrame(1, 1), runFrame(2, 2));
    await rig.until(settled(2));
    expect(rig.messages.flat()).toMatchObject([
      { value: Buffer.alloc(size, 1) },
      { value: Buffer.alloc(size, 2) },
    ]);
  },
);

test('raw JSON of a task arrives as a Buffer', async () => {
  const raw = "{ kind: 'ticketing.raw-json', bytes: Buffer.from('[1]') }";
  const rig = await readyRig(moduleOf(`{ search: () => (${raw}) }`));
  rig.send(runFrame(1, 0));
  await rig.until(settled(1));
  const [frame] = rig.messages.flat() as { value: Buffer }[];
  expect(Buffer.isBuffer(frame?.value)).toBe(true);
  expect(frame?.value.toString()).toBe('[1]');
});

test('foreign messages are ignored', async () => {
  const rig = await readyRig(echo);
  rig.served.receive({ 'watch:require': ['/a.js'] });
  rig.served.receive('text');
  rig.send(runFrame(1, 1));
  await rig.until(settled(1));
  expect(rig.messages).toHaveLength(1);
});

test('an input that cannot be read fails its task alone', async () => {
  const rig = await readyRig(echo);
  const frames: ToWorker[] = [runFrame(1, new Map()), runFrame(2, 2)];
  postToWorker(
    frames,
    (message) => {
      (message as readonly [string, Uint8Array])[1].fill(0, 0, 4);
      rig.served.receive(message);
    },
    { transfers: false },
  );
  await rig.until(settled(2));
  expect(rig.messages.flat()).toMatchObject([
    { kind: 'failed', seq: 1 },
    { kind: 'done', seq: 2 },
  ]);
});

test('a load report rides along with an answer, 20 ms after the last at the soonest', async () => {
  const rig = await readyRig(echo);
  for (const [seq, ms] of [19, 1, 19].entries()) {
    spend(ms);
    rig.send(runFrame(seq + 1, 0));
    await rig.until(settled(seq + 1));
    await new Promise(setImmediate);
    expect(rig.loads).toHaveLength(seq === 0 ? 0 : 1);
  }
  expect(rig.loads).toMatchObject([
    { elapsedMs: expect.any(Number), memoryBytes: 12345, heapBytes: expect.any(Number) },
  ]);
  for (const message of rig.messages) expect(message).toMatchObject([{ kind: 'done' }]);
});

test('stop waits for running tasks, tears down, sends waiting answers, and exits', async () => {
  const tasks = '{ search: (input) => new Promise((resolve) => setImmediate(resolve, input)) }';
  const teardown = '{ teardown: () => { globalThis.dispatchTornDown = true } }';
  const rig = await readyRig(moduleOf(tasks, teardown));
  rig.send(runFrame(1, 'last'), { kind: 'stop' });
  await rig.until((log) => log.at(-1) === 'exit 0');
  expect(rig.log).toMatchObject(['claimed 1', { kind: 'done', value: 'last' }, 'exit 0']);
  expect(Reflect.get(globalThis, 'dispatchTornDown')).toBe(true);
  Reflect.deleteProperty(globalThis, 'dispatchTornDown');
});

test('a teardown that fails ends in exit code 1', async () => {
  const teardown = '{ teardown: () => Promise.reject(new Error("x")) }';
  const rig = await readyRig(moduleOf('{ search: () => 1 }', teardown));
  rig.send({ kind: 'stop' });
  await rig.until((log) => log.length > 0);
  expect(rig.log).toEqual(['exit 1']);
});

function startThread(module: string): {
  readonly worker: Worker;
  readonly frames: FromWorker[];
  heard(kind: FromWorker['kind'], count: number): Promise<void>;
} {
  const thread = new URL('./serve-tasks-thread.ts', import.meta.url);
  const worker = new Worker(thread, { workerData: { module } });
  const frames: FromWorker[] = [];
  return {
    worker,
    frames,
    heard: async (kind, count) => {
      while (frames.filter((frame) => frame.kind === kind).length < count) {
        const [message] = (await once(worker, 'message')) as [unknown];
        frames.push(...(decodeFromWorker(message) ?? []));
      }
    },
  };
}

test('buffers move to a thread and back, and a value that the port refuses fails its task alone', async () => {
  const module = new URL('./serve-tasks-module.ts', import.meta.url).href;
  const { worker, frames, heard } = startThread(module);
  const bytes = new Uint8Array(100_000).fill(1);
  await heard('ready', 1);
  const sent: RunFrame[] = [
    runFrame(1, bytes, { transfer: [bytes.buffer], task: 'give' }),
    runFrame(2, 0, { task: 'moved' }),
    runFrame(3, new Uint8Array(70_000).fill(2), { task: 'give' }),
    runFrame(4, { view: Buffer.from('pooled'), set: new Set([1]) }, { task: 'give' }),
    runFrame(5, 0, { task: 'refuse' }),
  ];
  const post = (message: unknown, transfer: Movable[]): void =>
    worker.postMessage(message, transfer);
  expect(postToWorker(sent, post, threadChannel)).toEqual([]);
  expect(bytes.byteLength).toBe(0);
  await Promise.all([heard('done', 4), heard('failed', 1)]);
  const told = new Map(frames.flatMap((frame) => ('seq' in frame ? [[frame.seq, frame]] : [])));
  expect(told.get(1)).toMatchObject({ value: new Uint8Array(100_000).fill(1) });
  expect(told.get(2)).toMatchObject({ value: { moved: true, bytes: new Uint8Array(80_000) } });
  expect(told.get(3)).toMatchObject({ value: new Uint8Array(70_000).fill(2) });
  expect(told.get(4)).toMatchObject({ value: { view: Buffer.from('pooled'), set: new Set([1]) } });
  expect(told.get(5)).toMatchObject({ kind: 'failed', error: { code: 'ERR_NOT_CLONEABLE' } });
  post({ ticketing: 'other' }, []);
  const exit = once(worker, 'exit');
  postToWorker([{ kind: 'stop' }], post, threadChannel);
  expect(await exit).toEqual([0]);
});

test.each<[string, string, boolean]>([
  ['is missing', 'file:///no/such/module.mjs', true],
  [
    'imports what is missing',
    'data:text/javascript,import "file:///no/such/module.mjs"; export default 5',
    false,
  ],
])('a module that %s is reported by a thread that exits', async (_name, module, final) => {
  const { worker, frames, heard } = startThread(module);
  const exit = once(worker, 'exit');
  await heard('start-failed', 1);
  // A report of its load rides along when it is time.
  expect(frames.filter(({ kind }) => kind === 'start-failed')).toMatchObject([
    { final, error: { code: 'ERR_MODULE_NOT_FOUND' } },
  ]);
  expect(await exit).toEqual([1]);
});

test('a module object is served, with hooks around its own', async () => {
  const log: string[] = [];
  const served = serveTasks({
    workerId: 1,
    slot: 0,
    module: { tasks: {}, hooks: { setup: () => log.push('inner') } },
    around: (hooks) => ({
      async setup(worker) {
        await hooks.setup?.(worker);
        log.push('outer');
      },
    }),
    post: (message) => log.push(...(decodeFromWorker(message) ?? []).map(({ kind }) => kind)),
    claim: () => true,
    memoryBytes: () => 1,
    exit: (code) => log.push(`exit ${code}`),
    transfers: false,
  });
  await until(() => log.includes('ready'), 'ready');
  served.tell({ kind: 'recycle' });
  served.tell({ kind: 'report', data: 1, worked: true });
  await until(() => log.includes('report'), 'the report');
  expect(log).toEqual(['inner', 'outer', 'ready', 'recycle', 'report']);
});

test('abandon() aborts running tasks, drops waiting ones, and sends no more frames', async () => {
  const rig = await readyRig(
    moduleOf(`{
      search: (_, { signal }) => new Promise((_, reject) => {
        signal.addEventListener('abort', () => { globalThis.abandoned = signal.reason; reject(signal.reason); });
      }),
    }`),
  );
  rig.send(runFrame(1, 0));
  await rig.until((log) => log.includes('claimed 1'));
  rig.served.abandon('gone');
  rig.send(runFrame(2, 0));
  rig.served.flush();
  await turns();
  expect((globalThis as { abandoned?: unknown }).abandoned).toBe('gone');
  expect(rig.log).toEqual(['claimed 1']);
});
