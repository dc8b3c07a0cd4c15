import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, errorOf, turn, watch } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('run() gives what the worker answers, and throws what the task threw', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  const good = run('a');
  const bad = run('b');
  await turn();
  const error = new Error('no such train');
  transport.at(0).answer(1, 'done');
  transport.at(0).fail(2, error);
  await turn();
  expect(good).toMatchObject({ state: 'resolved', value: 'done' });
  expect(bad).toMatchObject({ state: 'rejected', error });
});

/** The stack of the error that `searchesTrains` throws after `fail`. The stacks of vitest do not say what is async. */
async function stackAfter(searchesTrains: () => Promise<unknown>, fail: () => void) {
  const { prepareStackTrace } = Error;
  const search = watch(searchesTrains());
  await turn();
  Error.prepareStackTrace = undefined as never;
  try {
    fail();
    await turn();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
  return (search.error as Error).stack;
}

test('an error from a worker or of this dispatcher names the functions that await the call', async () => {
  const { dispatcher, ready, transport, clock } = createPool();
  await ready();
  async function searchesTrains() {
    await dispatcher.run('echo', 'Madrid', { timeoutMs: 50 });
  }
  const sent = await stackAfter(searchesTrains, () =>
    transport.at(0).fail(1, new Error('no such train')),
  );
  expect(sent).toMatch(/no such train[\s\S]* at async searchesTrains /);
  const made = await stackAfter(searchesTrains, () => clock.advance(50));
  expect(made).toMatch(/timeoutMs` \(50 ms\)[\s\S]* at async searchesTrains /);
  transport.at(0).answer(2);
});

test('an error of an in-process task and the reason of an abort are passed on untouched', async () => {
  const { dispatcher, ready, transport } = createPool({}, { capabilities: { isolation: 'none' } });
  await ready();
  const controller = new AbortController();
  async function searchesTrains() {
    await dispatcher.run('echo', 'Madrid', { signal: controller.signal });
  }
  const error = new Error('no such train');
  const reason = new Error('gone');
  const stacks = [error.stack, reason.stack];
  const thrown = await stackAfter(searchesTrains, () => transport.at(0).fail(1, error));
  const aborted = await stackAfter(searchesTrains, () => controller.abort(reason));
  expect([thrown, aborted]).toEqual(stacks);
  transport.at(0).answer(2);
});

test('a call that a worker drops is given to another, unless its deadline has passed', async () => {
  const { run, ready, transport } = createPool({ max: 2 });
  await ready();
  const calls = [run('a', { timeoutMs: 3_600_000 }), run('b')];
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([['a'], ['b']]);
  transport.at(0).drop(1);
  transport.at(1).drop(1);
  await turn();
  expect(calls.map(({ state }) => state)).toEqual(['pending', 'pending']);
  expect(transport.workers.flatMap(({ open }) => open.map(({ input }) => input)).sort()).toEqual([
    'a',
    'b',
  ]);
});

test('run() sends a call to an idle worker at once, and the others of a tick in one message', async () => {
  const { run, ready, transport } = createPool({ window: 10 });
  await ready();
  for (const input of [1, 2, 3]) run(input);
  await Promise.resolve();
  run(4);
  expect(transport.at(0).inputs).toEqual([1]);
  await turn();
  expect(transport.at(0).messages).toHaveLength(2);
  expect(transport.at(0).inputs).toEqual([1, 2, 3, 4]);
});

test('run() never begins a task of this thread within the call', async () => {
  const { run, ready, transport } = createPool({}, { capabilities: { isolation: 'none' } });
  await ready();
  run(1);
  expect(transport.at(0).inputs).toEqual([]);
  await turn();
  expect(transport.at(0).inputs).toEqual([1]);
});

test('run() does not wait for the end of a tick that is longer than a millisecond', async () => {
  const { run, ready, transport, clock } = createPool({ window: 10 });
  await ready();
  run(1);
  run(2);
  clock.advance(2);
  run(3);
  expect(transport.at(0).inputs).toEqual([1, 2, 3]);
  run(4);
  await turn();
  expect(transport.at(0).messages).toHaveLength(3);
});

test('run() sends the context of a call to the worker', async () => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  const buffer = new ArrayBuffer(8);
  const before = Date.now();
  watch(
    dispatcher.run('other', 'in', {
      metadata: { trace: 't' },
      timeoutMs: 500,
      runTimeoutMs: 100,
      transfer: [buffer],
    }),
  );
  watch(dispatcher.run('echo', 'plain'));
  await turn();
  const [full, plain] = transport.at(0).runs;
  expect(full).toMatchObject({ task: 'other', seq: 1, id: 1, attempt: 1, announce: true });
  expect(full).toMatchObject({ metadata: { trace: 't' }, transfer: [buffer] });
  expect(full?.deadline).toBeGreaterThanOrEqual(before + 500);
  expect(plain).toEqual({
    kind: 'run',
    seq: 2,
    id: 2,
    task: 'echo',
    input: 'plain',
    attempt: 1,
    deadline: undefined,
    metadata: undefined,
    transfer: undefined,
    announce: false,
  });
});

test('a worker is never given more than its window', async () => {
  const { run, ready, transport } = createPool({ window: 3 });
  await ready();
  for (let index = 0; index < 8; index++) run(index);
  await turn();
  expect(transport.at(0).inputs).toEqual([0, 1, 2]);
  transport.at(0).answer(2);
  expect(transport.at(0).inputs).toEqual([0, 1, 2, 3]);
  transport.at(0).emit(transport.at(0).doneFrame(1), transport.at(0).doneFrame(3));
  expect(transport.at(0).messages.at(-1)).toHaveLength(2);
  expect(transport.at(0).inputs).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a window that is left to the worker follows its load', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 'auto' });
  await ready();
  for (let index = 0; index < 20; index++) run(index);
  await turn();
  expect(transport.at(0).inputs).toHaveLength(4);
  transport.at(0).emit({ kind: 'load', elapsedMs: 10, activeMs: 1, memoryBytes: 77 });
  expect(transport.at(0).inputs).toHaveLength(6);
  expect(dispatcher.stats().workers[0]).toMatchObject({ window: 6, inFlight: 6, memoryBytes: 77 });
});

test('a window grows if calls waited for it, even if none waits now', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 'auto' });
  await ready();
  for (let index = 0; index < 6; index++) run(index);
  await turn();
  transport.at(0).answer(1);
  transport.at(0).answer(2);
  transport.at(0).emit({ kind: 'load', elapsedMs: 10, activeMs: 1, memoryBytes: undefined });
  expect(dispatcher.stats()).toMatchObject({ queued: 0, workers: [{ window: 6 }] });
  transport.at(0).emit({ kind: 'load', elapsedMs: 10, activeMs: 1, memoryBytes: undefined });
  expect(dispatcher.stats().workers[0]?.window).toBe(6);
});

test('calls go to the worker that has the least to do', async () => {
  const { run, ready, transport } = createPool({ max: 3, window: 4 });
  await ready();
  for (let index = 0; index < 7; index++) run(index);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs.length)).toEqual([3, 2, 2]);
});

test('an input that cannot be cloned rejects its call alone', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 3 });
  const cause = new Error('a function could not be cloned');
  transport.refuses = ({ input }) => (input === 'bad' ? cause : undefined);
  await ready();
  const calls = ['a', 'bad', 'b', 'c', 'bad', 'd'].map((input) => run(input));
  await turn();
  const error = errorOf(calls[1], 'ERR_NOT_CLONEABLE');
  expect(error.message).toBe(
    'Cannot send the input of task `echo`: a function could not be cloned',
  );
  expect(error.cause).toBe(cause);
  expect(transport.at(0).inputs).toEqual(['a', 'b', 'c']);
  for (const { seq } of transport.at(0).open) transport.at(0).answer(seq);
  await turn();
  for (const { seq } of transport.at(0).open) transport.at(0).answer(seq);
  await turn();
  expect(calls.map(({ state }) => state)).toEqual([
    'resolved',
    'rejected',
    'resolved',
    'resolved',
    'rejected',
    'resolved',
  ]);
  expect(dispatcher.stats()).toMatchObject({ completed: 4, failed: 2 });
});

test('a refused input does not delay the next calls of any worker', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 1 });
  transport.refuses = ({ input }) => (input === 'bad' ? 'a function' : undefined);
  await ready();
  for (const input of ['bad', 'good', 'next']) run(input);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([['next'], ['good']]);
  transport.at(0).answer(2);
  run('last');
  await turn();
  expect(transport.at(0).inputs).toEqual(['next', 'last']);
});

test('an input that a question for health would take along is refused as well', async () => {
  const { run, ready, transport, clock } = createPool({ healthMs: 1000 });
  transport.refuses = () => 'a function';
  await ready();
  const call = run('bad');
  clock.advance(1000);
  await turn();
  errorOf(call, 'ERR_NOT_CLONEABLE');
});
