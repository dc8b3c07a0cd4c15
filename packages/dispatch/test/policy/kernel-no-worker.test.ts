import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { DispatchError } from '../../src/errors.ts';
import { checkPoolsAfterEach, createPool, errorOf, settled, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const context = new AsyncLocalStorage<string>();

function noHost(): DispatchError {
  return new DispatchError('ERR_NO_HOST', 'No host is there', { data: { name: 'fake' } });
}

/** A listener, and what it got in which context. */
function listener() {
  const got: [error: DispatchError, context: string | undefined][] = [];
  const onNoWorker = (error: DispatchError): void => void got.push([error, context.getStore()]);
  return { got, onNoWorker };
}

test('onNoWorker() gets the error of an open circuit once, before the call rejects with it', async () => {
  const { run, transport } = createPool({ restart: { maxFailures: 0 } });
  const { got, onNoWorker } = listener();
  const waiting = context.run('waiting', () => run('a', { onNoWorker }));
  await turn();
  transport.at(0).startFailed(noHost());
  expect([waiting.state, got.length]).toEqual(['pending', 1]);
  const later = context.run('later', () => run('b', { onNoWorker }));
  const errors = [await settled(waiting), await settled(later)].map((call) =>
    errorOf(call, 'ERR_CIRCUIT_OPEN'),
  );
  expect(got).toEqual([
    [errors[0], 'waiting'],
    [errors[1], 'later'],
  ]);
  expect(errors[0]?.cause).toMatchObject({ code: 'ERR_NO_HOST' });
});

test('a worker that reports early that it cannot start rejects the calls that can run elsewhere, and no others', async () => {
  const { run, transport, dispatcher } = createPool({ startTimeoutMs: 1000 });
  const { got, onNoWorker } = listener();
  const [leaves, stays] = [run('leaves', { onNoWorker }), run('stays')];
  await turn();
  transport.at(0).reportFailure(noHost(), true);
  const laterLeaves = run('leaves too', { onNoWorker });
  const laterStays = run('stays too');
  for (const call of [leaves, laterLeaves]) {
    expect(errorOf(await settled(call), 'ERR_CIRCUIT_OPEN').cause).toMatchObject({
      code: 'ERR_NO_HOST',
    });
  }
  expect(got).toHaveLength(2);
  expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', queued: 2, rejected: 2 });
  // It starts after all: the calls that waited run in their order.
  transport.at(0).ready();
  await turn();
  expect(transport.at(0).inputs).toEqual(['stays', 'stays too']);
  for (const { seq } of transport.at(0).open) transport.at(0).answer(seq);
  expect((await settled(stays)).state).toBe('resolved');
  expect((await settled(laterStays)).state).toBe('resolved');
});

test('an early report opens the circuit once the start has had its time', async () => {
  const { run, transport, clock, dispatcher } = createPool({ startTimeoutMs: 1000 });
  const waiting = run('a');
  transport.at(0).reportFailure(noHost(), true);
  clock.advance(999);
  expect((await settled(waiting)).state).toBe('pending');
  clock.advance(1);
  transport.at(0).exit({ exitCode: 1 });
  expect(errorOf(await settled(waiting), 'ERR_CIRCUIT_OPEN').cause).toMatchObject({
    code: 'ERR_NO_HOST',
  });
  expect(dispatcher.stats().circuit).toBe('open');
});

test('calls that can run elsewhere wait while another worker may come, or one is ready', async () => {
  const { run, transport } = createPool({ max: 2, window: 1 });
  const { got, onNoWorker } = listener();
  const call = run('a', { onNoWorker });
  await turn();
  transport.at(0).reportFailure(noHost(), true);
  expect((await settled(call)).state).toBe('pending');
  transport.at(1).ready();
  const full = run('b', { onNoWorker });
  await turn();
  expect([call.state, full.state, got]).toEqual(['pending', 'pending', []]);
  transport.at(1).answer(1);
  await turn();
  transport.at(1).answer(2);
  expect((await settled(full)).state).toBe('resolved');
});

test('a failed start that is not final keeps calls waiting', async () => {
  const { run, transport, clock } = createPool();
  const { got, onNoWorker } = listener();
  const call = run('a', { onNoWorker });
  transport.at(0).startFailed(new Error('once'));
  expect((await settled(call)).state).toBe('pending');
  clock.advance(1000);
  transport.at(1).ready();
  await turn();
  transport.at(1).answer(1);
  expect([(await settled(call)).state, got]).toEqual(['resolved', []]);
});

test('a call that came back unbegun may leave, one that was begun is lost', async () => {
  const { run, ready, transport, clock } = createPool({ window: 4 });
  await ready();
  const { got, onNoWorker } = listener();
  const [begun, returned, unbegun, twice] = [
    run('begun', { onNoWorker }),
    run('returned', { onNoWorker }),
    run('unbegun', { onNoWorker }),
    run('twice', { onNoWorker, idempotent: true, retries: 1 }),
  ];
  await turn();
  transport.at(0).start(2);
  transport.at(0).busy(4);
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  errorOf(begun, 'ERR_WORKER_LOST');
  errorOf(returned, 'ERR_WORKER_LOST');
  expect(got).toEqual([]);
  clock.advance(1000);
  transport.at(1).reportFailure(noHost(), true);
  const errors = [await settled(unbegun), await settled(twice)].map((call) =>
    errorOf(call, 'ERR_CIRCUIT_OPEN'),
  );
  expect(got.map(([error]) => error)).toEqual(errors);
});

test('a call that has lost its worker leaves only with permission to run twice', async () => {
  const { run, ready, transport, clock } = createPool();
  await ready();
  const { got, onNoWorker } = listener();
  const call = run('a', { onNoWorker, idempotent: true, retries: 1 });
  await turn();
  transport.at(0).start();
  transport.at(0).exit({ exitCode: 1 });
  clock.advance(1000);
  transport.at(1).reportFailure(noHost(), true);
  const error = errorOf(await settled(call), 'ERR_CIRCUIT_OPEN');
  expect(got.map(([each]) => each)).toEqual([error]);
});

test('a worker that leaves and takes no more calls keeps none waiting if its successor cannot start', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 2 });
  await ready();
  const { got, onNoWorker } = listener();
  const held = run('held', { onNoWorker });
  await turn();
  transport.at(0).emit({ kind: 'recycle' });
  transport.at(1).reportFailure(noHost(), true);
  // It takes calls until its successor is there.
  const taken = run('taken', { onNoWorker });
  const queued = run('queued', { onNoWorker });
  await turn();
  expect([transport.at(0).inputs, got]).toEqual([['held', 'taken'], []]);
  transport.at(0).emit({ kind: 'busy', seq: 0 });
  errorOf(await settled(queued), 'ERR_CIRCUIT_OPEN');
  errorOf(await settled(run('later', { onNoWorker })), 'ERR_CIRCUIT_OPEN');
  expect(got).toHaveLength(2);
  for (const { seq } of transport.at(0).open) transport.at(0).answer(seq);
  expect([(await settled(held)).state, taken.state]).toEqual(['resolved', 'resolved']);
  expect(dispatcher.stats()).toMatchObject({ completed: 2, rejected: 2 });
});

test('a call that a leaving worker drops does not wait for a successor that cannot start', async () => {
  const { run, ready, transport } = createPool({ window: 2 });
  await ready();
  const { got, onNoWorker } = listener();
  const [begun, dropped] = [run('begun', { onNoWorker }), run('dropped', { onNoWorker })];
  await turn();
  transport.at(0).start(1);
  transport.at(0).emit({ kind: 'recycle' });
  transport.at(1).reportFailure(noHost(), true);
  transport.at(0).emit({ kind: 'busy', seq: 0 });
  transport.at(0).drop(2);
  const error = errorOf(await settled(dropped), 'ERR_CIRCUIT_OPEN');
  expect(got.map(([each]) => each)).toEqual([error]);
  transport.at(0).answer(1);
  expect((await settled(begun)).state).toBe('resolved');
});

test('a call that waits for a worker that ends leaves if its successor cannot start', async () => {
  const { run, ready, transport } = createPool({ window: 1 });
  await ready();
  const { got, onNoWorker } = listener();
  const [begun, queued] = [run('begun'), run('queued', { onNoWorker })];
  await turn();
  transport.at(0).start(1);
  transport.at(0).emit({ kind: 'recycle' });
  transport.at(1).reportFailure(noHost(), true);
  expect((await settled(queued)).state).toBe('pending');
  transport.at(0).exit({ exitCode: 1 });
  errorOf(await settled(begun), 'ERR_WORKER_LOST');
  expect(got.map(([each]) => each)).toEqual([errorOf(queued, 'ERR_CIRCUIT_OPEN')]);
});

test('a call whose onNoWorker() throws rejects with that, and others go on', async () => {
  const { run, transport } = createPool();
  const thrown = new Error('mine');
  const onNoWorker = (): never => {
    throw thrown;
  };
  const [bad, good] = [run('bad', { onNoWorker }), run('good', { onNoWorker: () => {} })];
  transport.at(0).reportFailure(noHost(), true);
  expect((await settled(bad)).error).toBe(thrown);
  errorOf(await settled(good), 'ERR_CIRCUIT_OPEN');
  expect((await settled(run('later', { onNoWorker }))).error).toBe(thrown);
});

test('onNoWorker() is never called for a call that is refused for another reason', async () => {
  const { run, ready, dispatcher } = createPool({ maxQueue: 0, window: 1 });
  await ready();
  const { got, onNoWorker } = listener();
  const held = run('held', { onNoWorker });
  errorOf(await settled(run('full', { onNoWorker })), 'ERR_QUEUE_FULL');
  errorOf(await settled(run('apart', { onNoWorker, apartFrom: 1 })), 'ERR_QUEUE_FULL');
  const closing = dispatcher.close({ graceMs: 0 });
  errorOf(await settled(held), 'ERR_CLOSED');
  expect(got).toEqual([]);
  void closing;
});
