import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, errorOf, settled, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('onWorker() gets the number of each worker that is given the call, in the caller’s context', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 1 });
  await ready();
  const context = new AsyncLocalStorage<string>();
  const given: unknown[] = [];
  const onWorker = (id: number): void => void given.push([id, context.getStore()]);
  const call = context.run('mine', () => run('a', { onWorker }));
  expect(given).toEqual([[1, 'mine']]);
  await turn();
  transport.at(0).busy(1);
  expect(given).toEqual([
    [1, 'mine'],
    [2, 'mine'],
  ]);
  await turn();
  transport.at(1).answer(1);
  expect((await settled(call)).state).toBe('resolved');
});

test('a call whose onWorker() throws rejects with that, and others go on', async () => {
  const { run, ready, transport } = createPool({ max: 1, window: 3 });
  await ready();
  const thrown = new Error('mine');
  const bad = run('bad', {
    onWorker: () => {
      throw thrown;
    },
  });
  const good = run('good');
  expect((await settled(bad)).error).toBe(thrown);
  for (const { seq } of transport.at(0).open) transport.at(0).answer(seq);
  expect((await settled(good)).state).toBe('resolved');
});

test('a call apart from a worker goes to another one, however busy that is', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 3 });
  await ready();
  run(1);
  run(2, { apartFrom: 1 });
  run(3, { apartFrom: 1 });
  run(4, { apartFrom: 2 });
  run(5, { apartFrom: 99 });
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([
    [1, 4, 5],
    [2, 3],
  ]);
});

test('a call apart from a worker never waits', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  run(1);
  const [given, refused] = [run(2, { apartFrom: 1 }), run(3, { apartFrom: 1 })];
  expect(errorOf(await settled(refused), 'ERR_QUEUE_FULL').message).toBe(
    'Task `echo` cannot wait with `apartFrom` (1): no other worker has room',
  );
  transport.at(1).busy(1);
  errorOf(await settled(given), 'ERR_QUEUE_FULL');
  expect(dispatcher.stats()).toMatchObject({ queued: 0, rejected: 2, returned: 1 });
});

test('a call apart from a worker does not wait when its own one ends before it began', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 1 });
  await ready();
  run(1);
  const call = run(2, { apartFrom: 1 });
  await turn();
  transport.at(1).exit({ exitCode: 1 });
  errorOf(await settled(call), 'ERR_QUEUE_FULL');
});

test.each([
  [{ apartFrom: 0 }, '`apartFrom` must be an integer of 1 or more, got 0'],
  [{ apartFrom: 'first' }, '`apartFrom` must be an integer of 1 or more, got first'],
  [{ onWorker: 5 }, '`onWorker` must be a function, got 5'],
  [{ onNoWorker: 5 }, '`onNoWorker` must be a function, got 5'],
  [{ apartFrom: 1, key: 'k' }, '`key` must be absent with `apartFrom`, since the call never waits'],
  [
    { apartFrom: 1, idempotent: true, retries: 1 },
    '`retries` must be absent with `apartFrom`, since the call never waits',
  ],
])('run with %j is refused', async (options, message) => {
  const { run } = createPool();
  expect((await settled(run(1, options as never))).error).toMatchObject({
    message: `Cannot run task: ${message}`,
  });
});
