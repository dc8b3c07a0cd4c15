import { expect, test } from 'vitest';
import type { FakeWorker } from '../fake-transport.ts';
import { checkPoolsAfterEach, createPool, errorOf, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

const abortGraceMs = 100;
/** After which a worker is killed that says nothing. */
const silentMs = 2 * abortGraceMs;

test('aborted calls that others hold up never have their worker killed', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs, window: 3 });
  await ready();
  const controller = new AbortController();
  run('long');
  run(1, { signal: controller.signal });
  await turn();
  transport.at(0).start(1);
  controller.abort();
  await turn();
  clock.advance(50 * abortGraceMs);
  expect(transport.at(0).kills).toBe(0);
  // It starts after all, and does not stop: from now on it is to blame.
  transport.at(0).answer(1);
  transport.at(0).start(2);
  clock.advance(abortGraceMs);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(abortGraceMs);
  expect(transport.at(0).kills).toBe(1);
});

test('an abandoned call with a grace of 0 is checked every 10 ms', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs: 0 });
  await ready();
  const controller = new AbortController();
  run(1, { signal: controller.signal });
  await turn();
  controller.abort();
  await turn();
  clock.advance(95);
  expect(transport.at(0).kills).toBe(0);
  transport.at(0).start(1);
  clock.advance(10);
  expect(transport.at(0).count('health')).toBe(1);
  // A worker needs some time to show that it lives.
  clock.advance(94);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
});

test('a running task that settles within its grace leaves its worker alone', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs });
  await ready();
  const controller = new AbortController();
  const call = run(1, { signal: controller.signal });
  await turn();
  transport.at(0).start();
  controller.abort('enough');
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'enough' });
  clock.advance(abortGraceMs - 1);
  transport.at(0).answer(1, 'too late');
  clock.advance(abortGraceMs);
  await turn();
  expect(call).toMatchObject({ state: 'rejected', error: 'enough' });
  expect(transport.at(0).kills).toBe(0);
  expect(dispatcher.stats()).toMatchObject({ aborted: 1, completed: 0, killed: 0 });
  expect(dispatcher.stats().histograms.run.count).toBe(0);
});

test('a running task that does not settle has its worker killed and replaced', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs, window: 4 });
  await ready();
  const controller = new AbortController();
  const stuck = run('stuck', { signal: controller.signal });
  const started = run('started');
  const first = run('first');
  const second = run('second');
  const third = run('third');
  await turn();
  transport.at(0).start(2);
  controller.abort('stop');
  await turn();
  clock.advance(silentMs);
  expect(transport.at(0).kills).toBe(1);
  clock.advance(10 * abortGraceMs);
  run('fourth');
  await turn();
  transport.at(0).exit({ signal: 'SIGKILL', stderrTail: 'last words' });
  await turn();
  expect(stuck).toMatchObject({ state: 'rejected', error: 'stop' });
  const error = errorOf(started, 'ERR_WORKER_LOST');
  expect(error.message).toBe('Task `echo` lost its worker, which was ended by SIGKILL');
  expect(error.data).toEqual({
    name: 'fake',
    task: 'echo',
    pid: transport.at(0).pid,
    exitCode: undefined,
    signal: 'SIGKILL',
    stderrTail: 'last words',
  });
  expect([first, second, third].map(({ state }) => state)).toEqual(Array(3).fill('pending'));
  await ready();
  expect(transport.at(1).inputs).toEqual(['first', 'second', 'third', 'fourth']);
  expect(dispatcher.stats()).toMatchObject({ killed: 1, lost: 0, spawned: 2, aborted: 1 });
});

test('two tasks of one worker that do not stop are one kill', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs });
  await ready();
  const controller = new AbortController();
  run(1, { signal: controller.signal });
  run(2, { signal: controller.signal });
  await turn();
  transport.at(0).start();
  controller.abort();
  await turn();
  clock.advance(silentMs);
  expect(transport.at(0).kills).toBe(1);
  expect(dispatcher.stats().killed).toBe(1);
});

test('an abort is not sent to a worker that is being killed', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs });
  await ready();
  const [first, second] = [new AbortController(), new AbortController()];
  run(1, { signal: first.signal });
  const other = run(2, { signal: second.signal });
  await turn();
  transport.at(0).start(1);
  first.abort();
  await turn();
  clock.advance(silentMs);
  expect(transport.at(0).kills).toBe(1);
  second.abort('other');
  await turn();
  expect(other).toMatchObject({ state: 'rejected', error: 'other' });
  transport.at(0).exit({ signal: 'SIGKILL' });
  await ready();
  expect(transport.at(1).inputs).toEqual([]);
});

test('what a worker answered before it was killed counts', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs });
  await ready();
  const controller = new AbortController();
  run(1, { signal: controller.signal });
  const other = run(2);
  run(3);
  await turn();
  transport.at(0).start();
  controller.abort();
  await turn();
  clock.advance(silentMs);
  transport.at(0).answer(2, 'in time');
  await turn();
  expect(other).toMatchObject({ state: 'resolved', value: 'in time' });
  expect(transport.at(0).inputs).toEqual([1, 2]);
  transport.at(0).exit({ signal: 'SIGKILL' });
  await ready();
  expect(transport.at(1).inputs).toEqual([3]);
});

test('a worker that lives is killed for a task when its grace ends, and no earlier', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs });
  await ready();
  run(1, { runTimeoutMs: 50 });
  await turn();
  transport.at(0).start();
  clock.advance(50);
  await turn();
  clock.advance(abortGraceMs / 2);
  expect(transport.at(0).count('health')).toBe(1);
  transport.at(0).emit({ kind: 'healthy' });
  clock.advance(abortGraceMs / 2 - 1);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
});

test('a worker that was paused, and wakes before it has had its grace twice, lives on with its other tasks [paused-process]', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs });
  await ready();
  run(1, { runTimeoutMs: 50 });
  const other = run(2);
  await turn();
  transport.at(0).start();
  clock.advance(50);
  await turn();
  clock.advance(silentMs - 1);
  // It reads what came meanwhile, in that order; its task ends in the turns after that.
  transport.at(0).emit({ kind: 'healthy' });
  clock.advance(abortGraceMs - 1);
  expect(transport.at(0).kills).toBe(0);
  transport.at(0).fail(1, new Error('aborted'));
  transport.at(0).answer(2, 'well');
  clock.advance(10 * abortGraceMs);
  await turn();
  expect(other).toMatchObject({ state: 'resolved', value: 'well' });
  expect(dispatcher.stats()).toMatchObject({ killed: 0, spawned: 1 });
});

test('a worker that woke and whose task still does not end is killed after one more grace', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs });
  await ready();
  run(1, { runTimeoutMs: 50 });
  await turn();
  transport.at(0).start();
  clock.advance(50);
  await turn();
  clock.advance(silentMs - 1);
  transport.at(0).emit({ kind: 'healthy' });
  clock.advance(abortGraceMs);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
});

test('a pause of this process is not held against its workers: their time begins again [paused-process]', async () => {
  const { run, ready, transport, clock } = createPool({ abortGraceMs });
  await ready();
  run(1, { runTimeoutMs: 50 });
  await turn();
  transport.at(0).start();
  clock.advance(50);
  await turn();
  // In each stage of the judgement; one that is always late judges in the end.
  for (const stage of ['asked', 'judged', 'waited for']) {
    clock.stall(3000);
    clock.advance(0);
    expect([stage, transport.at(0).kills]).toEqual([stage, 0]);
    clock.advance(stage === 'waited for' ? abortGraceMs : abortGraceMs / 2);
  }
  expect(transport.at(0).kills).toBe(1);
});

const serving = { kind: 'report', data: { requests: 0 }, worked: false } as const;

test('a worker that serves requests is not killed for a task: it has room again, and its health check decides [paused-process]', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({
    abortGraceMs,
    healthMs: 5000,
    window: 1,
  });
  await ready();
  const [worker] = transport.workers as [FakeWorker];
  worker.emit(serving);
  run('stuck', { runTimeoutMs: 50 });
  const next = run('next');
  await turn();
  worker.start();
  clock.advance(50);
  await turn();
  clock.advance(abortGraceMs);
  await turn();
  expect(worker.inputs).toEqual(['stuck', 'next']);
  // Nothing but the health check asks it.
  expect(worker.count('health')).toBe(0);
  clock.advance(3500);
  expect(worker.kills).toBe(0);
  // What it says of a task that was given up changes nothing.
  worker.fail(1, new Error('aborted'));
  worker.answer(2, 'well');
  await turn();
  expect(next).toMatchObject({ state: 'resolved', value: 'well' });
  expect(dispatcher.stats()).toMatchObject({ killed: 0, recycled: 0, spawned: 1 });
});

test('a worker that serves requests and stays silent is killed by its health check, though other tasks of it run', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({ abortGraceMs, healthMs: 1000 });
  await ready();
  const [worker] = transport.workers as [FakeWorker];
  worker.emit(serving);
  run('other');
  run('stuck', { runTimeoutMs: 50 });
  await turn();
  worker.start();
  clock.advance(50);
  await turn();
  clock.advance(950);
  expect(worker.count('health')).toBe(1);
  clock.advance(1000);
  await turn();
  expect(worker.kills).toBe(1);
  expect(dispatcher.stats()).toMatchObject({ killed: 0, recycled: 1 });
});

test('a starved machine does not feed itself: servers that are late with every task stay, and none is started [paused-process]', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool({
    max: 3,
    abortGraceMs,
    healthMs: 5000,
  });
  await ready();
  for (const worker of transport.workers) worker.emit(serving);
  let calls = 0;
  for (let round = 0; round < 40; round++) {
    for (let call = 0; call < 6; call++) run(calls++, { timeoutMs: 200 });
    await turn();
    for (const worker of transport.workers) worker.start();
    // Each begins, and each is answered after its deadline and its grace.
    for (let ms = 0; ms < 400; ms += 50) {
      clock.advance(50);
      await turn();
    }
    for (const worker of transport.workers) {
      for (const { seq } of worker.open) worker.answer(seq);
      if (worker.count('health') > 0) worker.emit({ kind: 'healthy' });
    }
    await turn();
  }
  expect(dispatcher.stats()).toMatchObject({ aborted: calls, spawned: 3, killed: 0, recycled: 0 });
});

test('where workers cannot be killed, a task that does not stop frees its room in the window', async () => {
  const { run, ready, transport, clock, dispatcher } = createPool(
    { abortGraceMs, window: 1 },
    { capabilities: { hardKill: false } },
  );
  await ready();
  const controller = new AbortController();
  run('stuck', { signal: controller.signal });
  const next = run('next');
  await turn();
  transport.at(0).start();
  controller.abort();
  await turn();
  expect(transport.at(0).inputs).toEqual(['stuck']);
  clock.advance(abortGraceMs);
  await turn();
  expect(transport.at(0).inputs).toEqual(['stuck', 'next']);
  expect(transport.at(0).kills).toBe(0);
  transport.at(0).answer(1, 'at last');
  transport.at(0).answer(2, 'well');
  await turn();
  expect(next).toMatchObject({ state: 'resolved', value: 'well' });
  expect(dispatcher.stats()).toMatchObject({ killed: 0, aborted: 1, completed: 1 });
});
