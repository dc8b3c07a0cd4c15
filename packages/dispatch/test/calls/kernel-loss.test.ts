import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { ForwardedRunOptions } from '../../src/contract/dispatcher.ts';
import { checkPoolsAfterEach, createPool, errorOf, settled, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const restart = { backoffMs: [100, 5000] as const, maxFailures: 2, withinMs: 10_000 };

test('when a worker ends, only the calls that it had started are lost', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 3 });
  await ready();
  const calls = [0, 1, 2, 3, 4].map((input) => run(input));
  await turn();
  const cause = new Error('out of memory');
  transport.at(0).answer(1);
  transport.at(0).start(2);
  transport.at(0).exit({ exitCode: 134, stderrTail: 'heap', cause });
  await turn();
  const error = errorOf(calls[1], 'ERR_WORKER_LOST');
  expect(error.message).toBe('Task `echo` lost its worker, which ended with exit code 134');
  expect(error.data).toMatchObject({ exitCode: 134, stderrTail: 'heap' });
  expect(error.cause).toBe(cause);
  expect(calls.map(({ state }) => state)).toEqual([
    'resolved',
    'rejected',
    'pending',
    'pending',
    'pending',
  ]);
  await ready();
  expect(transport.at(1).inputs).toEqual([2, 3, 4]);
  expect(transport.at(1).runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  expect(dispatcher.stats()).toMatchObject({ lost: 1, killed: 0, retried: 0, rejected: 1 });
});

test('calls that come back go before waiting ones, also at once to other workers with room', async () => {
  const { run, ready, transport } = createPool({ max: 2, window: 2 });
  await ready();
  for (const input of [0, 1, 2, 3, 4, 5]) run(input);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([
    [0, 2],
    [1, 3],
  ]);
  transport.at(0).exit({ exitCode: 0 });
  transport.at(1).answer(1);
  transport.at(1).answer(2);
  expect(transport.at(1).inputs).toEqual([1, 3, 0, 2]);
  run(6);
  await ready();
  expect(transport.at(1).inputs).toEqual([1, 3, 0, 2]);
});

test('calls that come back are not refused by maxQueue, but fill the queue', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 2, maxQueue: 1, restart });
  await ready();
  for (const input of [0, 1, 2]) run(input);
  await turn();
  transport.at(0).exit();
  expect(dispatcher.stats()).toMatchObject({ queued: 3, running: 0 });
  errorOf(await settled(run(3)), 'ERR_QUEUE_FULL');
});

test('unsent calls of a worker that ends in the same tick come back', async () => {
  const { run, ready, transport, clock } = createPool({ restart });
  await ready();
  run(0);
  run(1);
  transport.at(0).exit();
  await turn();
  expect(transport.at(0).inputs).toEqual([0]);
  clock.advance(100);
  await ready();
  expect(transport.at(1).inputs).toEqual([0, 1]);
});

test('a task is retried only if it is idempotent, only after a loss, and at most retries times', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({
    restart: { ...restart, maxFailures: 10 },
  });
  await ready();
  const thrice = run('thrice', { idempotent: true, retries: 2 });
  const never = run('never', { idempotent: true });
  await turn();
  transport.at(0).start();
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  errorOf(never, 'ERR_WORKER_LOST');
  for (const attempt of [2, 3]) {
    clock.advance(10_000);
    await ready();
    expect(transport.at(-1).runs).toMatchObject([{ input: 'thrice', attempt, id: 1 }]);
    transport.at(-1).start();
    transport.at(-1).exit({ exitCode: 1 });
    await turn();
    expect(thrice.state).toBe(attempt === 2 ? 'pending' : 'rejected');
  }
  errorOf(thrice, 'ERR_WORKER_LOST');
  expect(dispatcher.stats().retried).toBe(2);
});

test('a call that is lost with a worker behind its worker has its next attempt, at the worker with room', async () => {
  const { run, ready, transport, dispatcher } = createPool({ max: 2, window: 1 });
  await ready();
  const twice = run('twice', { idempotent: true, retries: 1 });
  const once = run('once', { idempotent: true });
  const waits = run('waits');
  await turn();
  const [first, second] = [transport.at(0), transport.at(1)];
  second.lose(1, new Error('gone'));
  await turn();
  expect(once.error).toMatchObject({ message: 'gone' });
  expect(second.inputs).toEqual(['once', 'waits']);
  first.lose(1);
  await turn();
  expect(first.runs.map(({ input, attempt, id }) => [input, attempt, id])).toEqual([
    ['twice', 1, 1],
    ['twice', 2, 1],
  ]);
  second.answer(2);
  await settled(waits);
  first.lose(2, new Error('gone again'));
  expect((await settled(twice)).error).toMatchObject({ message: 'gone again' });
  const { retried, rejected, failed, lost } = dispatcher.stats();
  expect({ retried, rejected, failed, lost }).toEqual({
    retried: 1,
    rejected: 2,
    failed: 0,
    lost: 0,
  });
});

test('a call that was abandoned is not retried when a worker behind its worker is lost', async () => {
  const { run, ready, transport, dispatcher } = createPool();
  await ready();
  const controller = new AbortController();
  const call = run(0, { idempotent: true, retries: 3, signal: controller.signal });
  await turn();
  transport.at(0).start();
  controller.abort('enough');
  await turn();
  transport.at(0).lose(1);
  await turn();
  expect(call.error).toBe('enough');
  expect(transport.at(0).inputs).toEqual([0]);
  expect(dispatcher.stats()).toMatchObject({ running: 0, retried: 0 });
});

test('attempts of a call that is passed on count from that of its caller', async () => {
  const { run, ready, transport, clock } = createPool({ restart });
  await ready();
  const forwarded: ForwardedRunOptions = { attempt: 3, idempotent: true, retries: 1 };
  const call = run('passed on', forwarded);
  await turn();
  for (const attempt of [3, 4]) {
    expect(transport.at(-1).runs).toMatchObject([{ attempt }]);
    transport.at(-1).start();
    transport.at(-1).exit();
    clock.advance(10_000);
    await ready();
  }
  errorOf(await settled(call), 'ERR_WORKER_LOST');
});

test('an error of a task is not retried', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  const call = run(0, { idempotent: true, retries: 3 });
  await turn();
  transport.at(0).fail(1, new Error('mine'));
  await turn();
  expect(call.state).toBe('rejected');
  expect(transport.at(0).inputs).toEqual([0]);
});

test('a retried call has a run timeout of its own for each attempt', async () => {
  const { run, ready, transport, clock } = createPool({ restart });
  await ready();
  const call = run(0, { idempotent: true, retries: 1, runTimeoutMs: 500 });
  await turn();
  transport.at(0).start();
  clock.advance(400);
  transport.at(0).exit();
  clock.advance(400);
  await ready();
  transport.at(1).start();
  clock.advance(499);
  await turn();
  expect(call.state).toBe('pending');
  clock.advance(1);
  await turn();
  errorOf(call, 'ERR_RUN_TIMEOUT');
});

test('a call whose port was sent is not sent again, though its worker had not started it', async () => {
  const { run, ready, transport } = createPool({ window: 2 });
  await ready();
  const { port1, port2 } = new MessageChannel();
  const busy = run('busy');
  const spent = run('spent', { transfer: [port2] });
  const other = run('other', { transfer: [port1] });
  await turn();
  transport.at(0).answer(1);
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  expect(busy.state).toBe('resolved');
  expect([spent, other].map(({ error }) => (error as { code?: string }).code)).toEqual([
    'ERR_WORKER_LOST',
    'ERR_WORKER_LOST',
  ]);
  port1.close();
});

test('a call whose buffers were moved is not sent again, though its worker had not started it', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  run('first');
  await turn();
  transport.at(0).answer(1);
  const buffer = new ArrayBuffer(8);
  const spent = run('spent', { transfer: [buffer] });
  const other = run('other', { transfer: [new ArrayBuffer(8)] });
  await turn();
  structuredClone(buffer, { transfer: [buffer] });
  transport.at(0).exit({ exitCode: 1 });
  await ready();
  errorOf(spent, 'ERR_WORKER_LOST');
  expect(other.state).toBe('pending');
  expect(transport.at(1).inputs).toEqual(['other']);
});

test('a call whose buffers were copied is sent again, whatever became of them', async () => {
  const { run, ready, transport } = createPool({}, { capabilities: { transfer: false } });
  await ready();
  run('one that proves the worker');
  await turn();
  transport.at(0).answer(1);
  const buffer = new ArrayBuffer(4);
  const call = run({ buffer }, { transfer: [buffer] });
  await turn();
  structuredClone(buffer, { transfer: [buffer] });
  transport.at(0).exit();
  await turn();
  transport.at(-1).ready();
  await turn();
  transport.at(-1).answer(1, 'again');
  await turn();
  expect(call).toMatchObject({ state: 'resolved', value: 'again' });
});
