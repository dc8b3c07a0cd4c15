import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createDispatcher } from '../../src/kernel/create-pool.ts';
import { FakeTransport } from '../fake-transport.ts';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  keysOf,
  settled,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

const restart = { backoffMs: [100, 5000] as const, maxFailures: 2, withinMs: 10_000 };

test('a worker that has answered is replaced at once', async () => {
  const { run, ready, transport } = createPool();
  await ready();
  run(0);
  await turn();
  transport.at(0).fail(1, 'also an answer');
  transport.at(0).exit();
  expect(transport.workers).toHaveLength(2);
});

test('workers that end before they have answered are restarted after a while that grows', async () => {
  const { ready, transport, clock } = createPool({ restart: { ...restart, maxFailures: 4 } });
  for (const wait of [50, 100, 200, 400]) {
    await ready();
    const before = transport.workers.length;
    transport.at(-1).exit();
    clock.advance(wait - 1);
    expect(transport.workers).toHaveLength(before);
    clock.advance(1);
    expect(transport.workers).toHaveLength(before + 1);
  }
});

test('the circuit opens with the cause, and refuses calls until a probe succeeds', async () => {
  const { run, transport, clock, dispatcher } = createPool({ restart });
  const waiting = run('waiting');
  const becomesReady = watch(dispatcher.ready());
  const cause = new Error('Cannot find module');
  for (const wait of [50, 100]) {
    transport.at(-1).startFailed(new Error('not this one'));
    clock.advance(wait);
  }
  expect(dispatcher.state).toBe('starting');
  transport.at(-1).startFailed(cause);
  await turn();
  expect(dispatcher.state).toBe('degraded');
  expect(dispatcher.stats()).toMatchObject({ circuit: 'open', queued: 0, spawned: 3 });
  for (const call of [waiting, await settled(run('later'))]) {
    const error = errorOf(call, 'ERR_CIRCUIT_OPEN');
    expect(error.message).toBe('Workers keep failing to start: Cannot find module');
    expect(error.cause).toBe(cause);
  }
  for (const call of [becomesReady, await settled(watch(dispatcher.ready()))]) {
    const error = errorOf(call, 'ERR_CIRCUIT_OPEN');
    expect(error.message).toBe('Workers keep failing to start: Cannot find module');
    expect(error.cause).toBe(cause);
  }
  clock.advance(4999);
  expect(transport.workers).toHaveLength(3);
  clock.advance(1);
  expect(transport.workers).toHaveLength(4);
  expect(dispatcher.stats().circuit).toBe('half-open');
  errorOf(await settled(run('during the probe')), 'ERR_CIRCUIT_OPEN');
  transport.at(3).ready();
  expect(dispatcher.stats().circuit).toBe('closed');
  expect(dispatcher.state).toBe('ready');
  const after = run('after');
  await turn();
  transport.at(3).answer(1);
  expect((await settled(after)).state).toBe('resolved');
});

test('a probe that fails leaves the circuit open until the next one', async () => {
  const { run, transport, clock, dispatcher } = createPool({ restart: { maxFailures: 0 } });
  transport.at(0).startFailed(new Error('first'));
  clock.advance(5000);
  const probed = new Error('second');
  transport.at(1).startFailed(probed);
  expect(dispatcher.stats().circuit).toBe('open');
  expect(errorOf(await settled(run()), 'ERR_CIRCUIT_OPEN').cause).toBe(probed);
  clock.advance(4999);
  expect(transport.workers).toHaveLength(2);
  clock.advance(1);
  expect(transport.workers).toHaveLength(3);
});

test('one worker probes for all, and the others follow when it succeeds', async () => {
  const { transport, clock } = createPool({ max: 3, restart: { maxFailures: 0 } });
  for (const worker of [...transport.workers]) worker.startFailed('no');
  expect(transport.workers).toHaveLength(3);
  clock.advance(5000);
  expect(transport.workers).toHaveLength(4);
  clock.advance(4000);
  expect(transport.workers).toHaveLength(4);
  transport.at(3).ready();
  expect(transport.workers).toHaveLength(6);
});

test('a start that would fail again opens the circuit at once', async () => {
  const { run, transport, dispatcher } = createPool({ max: 2 });
  const cause = new TypeError('no tasks');
  transport.at(0).startFailed(cause, true);
  expect(dispatcher.stats().circuit).toBe('open');
  expect(errorOf(await settled(run()), 'ERR_CIRCUIT_OPEN').cause).toBe(cause);
});

test('while the circuit is open, workers that work go on, and close it by an answer', async () => {
  const { run, transport, dispatcher } = createPool({ max: 2, restart: { maxFailures: 0 } });
  transport.at(0).ready();
  transport.at(1).startFailed('no');
  expect(dispatcher.state).toBe('degraded');
  const call = run();
  await turn();
  transport.at(0).answer(1);
  await turn();
  expect(call.state).toBe('resolved');
  expect(dispatcher.stats().circuit).toBe('closed');
  expect(transport.workers).toHaveLength(3);
});

test('when the last worker ends while the circuit is open, nothing waits for the probe', async () => {
  const { run, transport, clock, dispatcher } = createPool({
    max: 2,
    window: 1,
    restart: { maxFailures: 0 },
  });
  const [own] = keysOf(2);
  transport.at(0).ready();
  const first = run(0);
  await turn();
  transport.at(0).answer(1);
  transport.at(1).startFailed('no');
  expect(dispatcher.stats().circuit).toBe('open');
  const started = run(1);
  const waiting = run(2);
  const keyed = run(3, { key: own });
  await turn();
  transport.at(0).start();
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  expect(first.state).toBe('resolved');
  errorOf(started, 'ERR_WORKER_LOST');
  errorOf(waiting, 'ERR_CIRCUIT_OPEN');
  errorOf(keyed, 'ERR_CIRCUIT_OPEN');
  clock.advance(5000);
  transport.at(-1).ready();
  expect(dispatcher.stats().circuit).toBe('closed');
});

test('a worker that is not ready in time is killed, and counts as failed', async () => {
  const { transport, clock, dispatcher } = createPool({
    startTimeoutMs: 300,
    restart: { maxFailures: 0 },
  });
  clock.advance(299);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
  transport.at(0).ready();
  expect(dispatcher.state).toBe('starting');
  transport.at(0).exit({ signal: 'SIGKILL' });
  const { cause } = errorOf(await settled(watch(dispatcher.ready())), 'ERR_CIRCUIT_OPEN');
  expect(cause).toMatchObject({
    code: 'ERR_START_TIMEOUT',
    message: 'Worker did not start within `startTimeoutMs` (300 ms)',
    data: { name: 'fake', limit: 300 },
  });
});

test('the first worker that is not ready in time is reason enough, whatever `maxFailures` is', async () => {
  const { transport, clock, dispatcher } = createPool({
    max: 3,
    startTimeoutMs: 300,
    restart: { maxFailures: 5 },
  });
  const ready = watch(dispatcher.ready());
  clock.advance(300);
  for (const worker of transport.living) worker.exit({ signal: 'SIGKILL' });
  await turn();
  expect(errorOf(ready, 'ERR_CIRCUIT_OPEN').cause).toMatchObject({ code: 'ERR_START_TIMEOUT' });
  expect(dispatcher.stats()).toMatchObject({ spawned: 3, circuit: 'open' });
});

test('once a worker has started, one that is not ready in time is tried again', async () => {
  const { transport, clock, dispatcher } = createPool({
    max: 2,
    startTimeoutMs: 300,
    restart: { maxFailures: 5, backoffMs: [50, 50] },
  });
  transport.at(0).ready();
  clock.advance(300);
  transport.at(1).exit({ signal: 'SIGKILL' });
  await turn();
  clock.advance(50);
  expect(dispatcher.stats()).toMatchObject({ spawned: 3, circuit: 'closed' });
});

test('a pause of this process during a start is not held against the worker [paused-process]', async () => {
  const { transport, clock } = createPool({ startTimeoutMs: 300 });
  clock.stall(10_000);
  clock.advance(0);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(300);
  expect(transport.at(0).kills).toBe(1);
});

test('a worker that SIGTERM ends while it starts has not failed, and is started again', async () => {
  const { transport, clock, dispatcher } = createPool({
    restart: { maxFailures: 0, backoffMs: [50, 5000] },
  });
  const ready = watch(dispatcher.ready());
  for (let round = 0; round < 10; round++) {
    transport.at(-1).exit({ signal: 'SIGTERM' });
    await turn();
    clock.advance(49);
    expect(transport.workers).toHaveLength(round + 1);
    clock.advance(1);
    expect(transport.workers).toHaveLength(round + 2);
  }
  expect(ready.state).toBe('pending');
  transport.at(-1).ready();
  await turn();
  expect(ready.state).toBe('resolved');
  expect(dispatcher.stats().circuit).toBe('closed');
});

test('a worker that ends without a frame has failed to start', async () => {
  const { transport, dispatcher } = createPool({ restart: { maxFailures: 0 } });
  transport.at(0).exit({ exitCode: 7, stderrTail: 'oops' });
  const error = errorOf(await settled(watch(dispatcher.ready())), 'ERR_CIRCUIT_OPEN');
  expect(error.message).toBe(
    'Workers keep failing: Worker ended with exit code 7 before it had answered a call: oops',
  );
  expect(error.cause).toMatchObject({
    code: 'ERR_WORKER_LOST',
    message: 'Worker ended with exit code 7 before it had answered a call: oops',
    data: { name: 'fake', exitCode: 7, stderrTail: 'oops' },
  });
});

test('a spawn that throws is a failed start', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ restart });
  await ready();
  const error = new Error('EAGAIN');
  transport.spawnErrors.push(error);
  transport.at(0).exit();
  clock.advance(50);
  expect(transport.workers).toHaveLength(1);
  clock.advance(100);
  expect(transport.workers).toHaveLength(2);
  await ready();
  const call = run();
  await turn();
  transport.at(1).answer(1);
  expect((await settled(call)).state).toBe('resolved');
  expect(dispatcher.stats().spawned).toBe(3);
});

test('a spawn that throws while the pool grows harms no call', async () => {
  const { run, ready, transport } = createPool({
    min: 1,
    max: 2,
    window: 1,
    restart: { maxFailures: 0 },
  });
  await ready();
  run(0);
  transport.spawnErrors.push(new Error('EAGAIN'));
  const call = run(1);
  await turn();
  expect(call.state).toBe('pending');
  transport.at(0).answer(1);
  expect(transport.at(0).inputs).toEqual([0, 1]);
});

test('spawns that throw at the beginning are tried again', async () => {
  const transport = new FakeTransport();
  transport.spawnErrors.push(new Error('EAGAIN'), new Error('EAGAIN'));
  const clock = createManualClock();
  const dispatcher = createDispatcher(transport, { max: 3, clock, random: () => 0 });
  expect(transport.workers).toHaveLength(1);
  clock.advance(200);
  expect(transport.workers).toHaveLength(3);
  const close = dispatcher.close();
  for (const worker of transport.workers) worker.exit();
  await close;
  expect(transport.violations).toEqual([]);
});
