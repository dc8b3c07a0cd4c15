import { tracingChannel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { DispatchError } from '../../src/errors.ts';
import { checkPoolsAfterEach, createPool, errorOf, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const abortGraceMs = 100;

test('timeoutMs ends a call wherever it is', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ window: 1 });
  await ready();
  const running = run(0, { timeoutMs: 50 });
  const queued = run(1, { timeoutMs: 50 });
  await turn();
  transport.at(0).start();
  clock.advance(49);
  await turn();
  expect(running.state).toBe('pending');
  clock.advance(1);
  await turn();
  for (const call of [running, queued]) {
    const error = errorOf(call, 'ERR_TIMEOUT');
    expect(error.message).toBe('Task `echo` did not finish within `timeoutMs` (50 ms)');
    expect(error.data).toEqual({ name: 'fake', task: 'echo', limit: 50 });
  }
  expect(transport.at(0).aborts).toEqual([{ seq: 1, reason: running.error }]);
  expect(dispatcher.stats().aborted).toBe(2);
});

test('timeoutMs counts attempts together', async () => {
  const { run, ready, transport, clock } = createPool({ restart: { maxFailures: 10 } });
  await ready();
  const call = run(0, { timeoutMs: 500, idempotent: true, retries: 5 });
  await turn();
  transport.at(0).start();
  clock.advance(300);
  transport.at(0).exit({ exitCode: 1 });
  clock.advance(100);
  await ready();
  transport.at(1).start();
  clock.advance(99);
  await turn();
  expect(call.state).toBe('pending');
  clock.advance(1);
  await turn();
  errorOf(call, 'ERR_TIMEOUT');
});

test('queueTimeoutMs ends a call that waits, or that its worker has not started', async () => {
  const { run, ready, transport, clock } = createPool({ window: 2 });
  await ready();
  const running = run(0, { queueTimeoutMs: 50 });
  const sent = run(1, { queueTimeoutMs: 50 });
  const queued = run(2, { queueTimeoutMs: 50 });
  await turn();
  transport.at(0).start(1);
  clock.advance(50);
  await turn();
  expect(running.state).toBe('pending');
  for (const call of [sent, queued]) {
    expect(errorOf(call, 'ERR_QUEUE_TIMEOUT').message).toBe(
      'Task `echo` did not start within `queueTimeoutMs` (50 ms)',
    );
  }
  expect(transport.at(0).aborts.map(({ seq }) => seq)).toEqual([2]);
  transport.at(0).answer(1);
  await turn();
  expect(running.state).toBe('resolved');
});

test('runTimeoutMs counts from the start that the worker reports, not from the sending', async () => {
  const { run, ready, transport, clock } = createPool({ window: 2 });
  await ready();
  const first = run(0, { runTimeoutMs: 50 });
  const second = run(1, { runTimeoutMs: 50 });
  await turn();
  clock.advance(1000);
  transport.at(0).start(1);
  clock.advance(49);
  transport.at(0).answer(1);
  transport.at(0).start(2);
  clock.advance(49);
  await turn();
  expect([first.state, second.state]).toEqual(['resolved', 'pending']);
  clock.advance(1);
  await turn();
  expect(errorOf(second, 'ERR_RUN_TIMEOUT').message).toBe(
    'Task `echo` did not finish within `runTimeoutMs` (50 ms)',
  );
});

test('a task whose run timed out has its grace, then its worker is killed', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs });
  await ready();
  run(0, { runTimeoutMs: 50 });
  await turn();
  transport.at(0).start();
  clock.advance(50);
  await turn();
  expect(transport.at(0).aborts).toHaveLength(1);
  clock.advance(abortGraceMs / 2);
  transport.at(0).emit({ kind: 'healthy' });
  clock.advance(abortGraceMs / 2 - 1);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
});

test('a call that ends while no worker takes calls has the reason as its cause', async () => {
  const restart = { backoffMs: [1000, 1000] as const, maxFailures: 5 };
  const { run, ready, transport, clock } = createPool({ restart });
  const why = new Error('Cannot find module');
  const before = run(0, { timeoutMs: 10 });
  clock.advance(10);
  await turn();
  // The first start is still under way.
  expect(errorOf(before, 'ERR_TIMEOUT').cause).toBeUndefined();
  transport.at(0).startFailed(why);
  const calls = [run(1, { timeoutMs: 50 }), run(2, { queueTimeoutMs: 50 })] as const;
  clock.advance(50);
  await turn();
  expect(errorOf(calls[0], 'ERR_TIMEOUT').cause).toBe(why);
  expect(errorOf(calls[1], 'ERR_QUEUE_TIMEOUT').cause).toBe(why);
  clock.advance(1000);
  await ready();
  // A call that a worker has, and one that waits behind it, are late for another reason.
  const late = Array.from({ length: 100 }, (_, index) => run(index, { timeoutMs: 50 }));
  await turn();
  clock.advance(50);
  await turn();
  for (const call of late) expect(errorOf(call, 'ERR_TIMEOUT').cause).toBeUndefined();
});

test('a transport may know more than the latest start why there is no worker', async () => {
  const { run, transport, clock } = createPool();
  const why = new Error('Nobody is there');
  Object.assign(transport, { whyUnready: () => why });
  const call = run(0, { timeoutMs: 10 });
  clock.advance(10);
  await turn();
  expect(errorOf(call, 'ERR_TIMEOUT').cause).toBe(why);
});

test('queueTimeoutMs ends no call that has started in time, and waits for its next attempt', async () => {
  const { run, ready, transport, clock } = createPool({ restart: { backoffMs: [100, 100] } });
  await ready();
  const call = run(1, { queueTimeoutMs: 50, idempotent: true, retries: 1 });
  await turn();
  transport.at(0).start(1);
  transport.at(0).exit();
  await turn();
  clock.advance(60);
  await turn();
  expect(call.state).toBe('pending');
  clock.advance(100);
  await ready();
  transport.at(-1).answer(1, 'late, and good');
  await turn();
  expect(call.value).toBe('late, and good');
});

test('an error that is the reason of a shared signal is not changed for each of its calls', async () => {
  const { ready, dispatcher } = createPool({ window: 4 });
  await ready();
  const reason = new DispatchError('ERR_CLOSED', 'enough', { data: { name: 'other' } });
  const { stack } = reason;
  const leave = new AbortController();
  // The functions that await an error of one call are added to its stack.
  async function searchesTrains(): Promise<unknown> {
    return await dispatcher.run('echo', 'train', { signal: leave.signal });
  }
  const call = searchesTrains();
  await turn();
  leave.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(reason.stack).toBe(stack);
});

test('a signal that a subscriber of the start aborts ends its call alone, once', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 1 });
  await ready();
  const first = run(1);
  const leave = new AbortController();
  const channel = tracingChannel('ticketing:dispatch:run');
  const listener = () => leave.abort('by a subscriber');
  channel.start.subscribe(listener);
  const aborted = run(2, { signal: leave.signal });
  channel.start.unsubscribe(listener);
  const last = run(3);
  await turn();
  expect(aborted.error).toBe('by a subscriber');
  expect(dispatcher.stats()).toMatchObject({ queued: 1, running: 1, aborted: 1 });
  transport.at(0).answer(1);
  await turn();
  transport.at(0).answer(2);
  await turn();
  expect([first.state, last.state]).toEqual(['resolved', 'resolved']);
});
