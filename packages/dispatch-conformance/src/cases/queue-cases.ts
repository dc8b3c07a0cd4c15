import assert from 'node:assert/strict';
import type { Dispatcher, RunOptions } from '@ticketing/dispatch';
import { turns } from '@ticketing/test-kit';
import { countRejected, rejected, rejectedWith, startRun } from '../calls.ts';
import { type CaseDraft, needsIsolation, test } from '../conformance-case.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import type { Stage } from '../stage.ts';

/** The bounds of the queue and of the window. */
export const queueCases: readonly CaseDraft[] = [
  test('the queue takes maxQueue calls, then rejects ERR_QUEUE_FULL and never starts them', (stage) =>
    fill(stage, () => ({}))),
  test('calls with their own signals stay within the bound', (stage) =>
    fill(stage, () => ({ signal: stage.controller().signal }))),
  {
    name: 'calls with one signal stay within the bound',
    act(stage) {
      const { signal } = stage.controller();
      return fill(stage, () => ({ signal, timeoutMs: 60_000 }));
    },
  },
  test('with maxQueue 0 a call runs if a worker is free, and is rejected if none is', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
    assert.equal(await dispatcher.run('echo', 1), 1);
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const error = await rejectedWith('ERR_QUEUE_FULL', dispatcher.run('echo', 2));
    assert.equal(error.data.limit, 0);
    assert.equal(error.data.task, 'echo');
    stage.scratch.touch('go');
    await held.answer;
    assert.equal(await dispatcher.run('echo', 3), 3);
  }),
  test('a numeric window bounds the calls of a worker; the next is sent when one settles', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 3 });
    const gates = [1, 2, 3, 4, 5].map((number) => scratch.path(`go-${number}`));
    const answers = gates.map((until, index) =>
      dispatcher.run('hold', { until, log: scratch.path('log'), mark: `${index + 1}` }),
    );
    await scratch.reached('log', 3);
    await turns();
    const { running, queued, workers } = dispatcher.stats();
    assert.deepEqual([running, queued], [3, 2]);
    assert.equal(workers[0]?.window, 3);
    assert.deepEqual(scratch.lines('log'), ['1', '2', '3']);
    scratch.touch('go-2');
    assert.equal(await answers[1], '2');
    await scratch.reached('log', 4);
    for (const number of [1, 3, 4, 5]) scratch.touch(`go-${number}`);
    assert.deepEqual(await Promise.all(answers), ['1', '2', '3', '4', '5']);
  }),
  test('each worker gets as many calls as its window', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ max: 2, window: 2 });
    const answers = Array.from({ length: 6 }, (_, index) =>
      dispatcher.run('hold', {
        until: scratch.path('go'),
        log: scratch.path('log'),
        mark: `${index}`,
      }),
    );
    await scratch.reached('log', 4);
    const { running, queued } = dispatcher.stats();
    assert.deepEqual([running, queued], [4, 2]);
    scratch.touch('go');
    await Promise.all(answers);
  }),
  test('a thousand calls at once are each answered with their own answer', async (stage) => {
    const dispatcher = await stage.dispatcher({ max: 2 });
    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.map((number) => dispatcher.run('add', { a: number, b: 1 })),
    );
    assert.deepEqual(
      answers,
      numbers.map((number) => number + 1),
    );
  }),
];

/** Ten calls where one runs and three may wait. */
async function fill(stage: Stage, options: () => RunOptions): Promise<void> {
  const { scratch } = stage;
  const dispatcher = await stage.ready({ window: 1, maxQueue: 3 });
  const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
  const log = scratch.path('log');
  const calls = Array.from({ length: 10 }, (_, index) =>
    dispatcher.run('mark', { log, mark: `${index}` }, options()),
  );
  const settling = Promise.allSettled(calls);
  await turns();
  assert.equal(dispatcher.stats().queued, 3, 'calls that wait');
  assert.equal(dispatcher.stats().rejected, 7, 'calls rejected while the queue is full');
  scratch.touch('go');
  await held.answer;
  const outcomes = await settling;
  assert.equal(countRejected('ERR_QUEUE_FULL', outcomes), 7);
  assert.deepEqual(
    outcomes.slice(0, 3).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(scratch.lines('log'), ['0', '1', '2']);
}

/** `capacity()`: waiting for room instead of being rejected. */
export const capacityCases: readonly CaseDraft[] = [
  test('capacity() resolves at once while there is room', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
    await dispatcher.capacity();
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    await dispatcher.capacity();
    stage.scratch.touch('go');
    await held.answer;
  }),
  test('capacity() waits while the queue is full, and the call after it is taken', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const queued = dispatcher.run('echo', 'queued');
    let isRoom = false;
    const room = dispatcher.capacity().then(() => {
      isRoom = true;
      return dispatcher.run('echo', 'after');
    });
    await turns();
    assert.equal(isRoom, false, 'no room while the queue is full');
    stage.scratch.touch('go');
    assert.deepEqual(await Promise.all([held.answer, queued, room]), ['held', 'queued', 'after']);
  }),
  test('a producer that waits for capacity() never meets ERR_QUEUE_FULL', async (stage) => {
    const dispatcher = await stage.ready({ window: 2, maxQueue: 1 });
    const answers: Promise<number>[] = [];
    for (let a = 0; a < 100; a += 1) {
      await dispatcher.capacity();
      answers.push(dispatcher.run('add', { a, b: 0 }));
    }
    assert.equal((await Promise.all(answers)).length, 100);
  }),
  test('a producer that waits for capacity() of its keys never meets ERR_QUEUE_FULL', async (stage) => {
    const dispatcher = await stage.ready({ max: 2, window: 1, maxQueue: 1 });
    const answers: Promise<number>[] = [];
    // Most calls wait for one worker.
    const keys = ['a', 'a', 'a', 'b', 'c', 'd'];
    for (let a = 0; a < 60; a += 1) {
      const key = keys[a % keys.length] as string;
      await dispatcher.capacity(undefined, { key });
      answers.push(dispatcher.run('add', { a, b: 0 }, { key }));
    }
    assert.equal((await Promise.all(answers)).length, 60);
  }),
  test('capacity() lets several producers in as there is room', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
    const produce = async (): Promise<void> => {
      for (let a = 0; a < 20; a += 1) {
        await dispatcher.capacity();
        await dispatcher.run('add', { a, b: 0 });
      }
    };
    await Promise.all([produce(), produce(), produce(), produce()]);
    assert.equal(dispatcher.stats().completed, 80);
  }),
  test('capacity() rejects with the reason of its signal, before and while it waits', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const reason = { why: 'no time' };
    const controller = stage.controller();
    const waiting = rejected(dispatcher.capacity(controller.signal));
    controller.abort(reason);
    assert.equal(await waiting, reason);
    assert.equal(await rejected(dispatcher.capacity(controller.signal)), reason);
    stage.scratch.touch('go');
    await held.answer;
  }),
  test('capacity() leaves no listener on its signal when there is room again', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('go') });
    const room = dispatcher.capacity(stage.controller().signal);
    stage.scratch.touch('go');
    await Promise.all([held.answer, room]);
  }),
  test('capacity() rejects ERR_CLOSED after close() and when close() comes', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 0 });
    const held = await startRun(dispatcher, 'hold', { until: stage.scratch.path('never') });
    const waiting = rejectedWith('ERR_CLOSED', dispatcher.capacity(stage.controller().signal));
    await dispatcher.close({ graceMs: 0 });
    await waiting;
    await rejectedWith('ERR_CLOSED', dispatcher.capacity());
    await rejectedWith('ERR_CLOSED', held.answer);
  }),
];

/** Priority and keys. */
export const orderCases: readonly CaseDraft[] = [
  test('calls of one priority start in the order in which they were made', async (stage) => {
    const marks = Array.from({ length: 50 }, (_, index) => `${index}`);
    const lines = await inOrder(stage, (queue) => marks.map((mark) => queue(mark, 0)));
    assert.deepEqual(lines, marks);
  }),
  test('a higher priority goes first, a lower one last', async (stage) => {
    const lines = await inOrder(stage, (queue) => [
      queue('a', 0),
      queue('low', -1),
      queue('b', 0),
      queue('high', 5),
      queue('highest', 1000),
    ]);
    assert.deepEqual(lines, ['highest', 'high', 'a', 'b', 'low']);
  }),
  test('a second of waiting is worth a step of priority, so nothing starves', async (stage) => {
    const lines = await inOrder(stage, (queue) => {
      const first = queue('waited 3 s', 0);
      stage.clock.advance(3000);
      return [first, queue('above by 2', 2), queue('above by 5', 5)];
    });
    assert.deepEqual(lines, ['above by 5', 'waited 3 s', 'above by 2']);
  }),
  test('tasks of one key run on one worker', async (stage) => {
    const dispatcher = await stage.ready({ max: 2, window: 2 });
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index % 10}`);
    const workers = await Promise.all(keys.map((key) => workerOf(dispatcher, key)));
    for (const [index, key] of keys.entries()) {
      assert.equal(workers[index], workers[keys.indexOf(key)], `the worker of ${key}`);
    }
    assert.equal(new Set(workers).size, 2, 'workers that keys are spread over');
  }),
  test('a successor takes over the keys of a worker that ended', needsIsolation, async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const before = await workerOf(dispatcher, 'mine');
    await rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }, { key: 'mine' }));
    const after = [];
    for (let time = 0; time < 5; time += 1) after.push(await workerOf(dispatcher, 'mine'));
    assert.equal(new Set(after).size, 1, 'workers of the key');
    assert.notEqual(after[0], before);
  }),
];

type Queue = (mark: string, priority: number) => Promise<string>;

/** Queues calls behind a running one, and returns the order in which they ran. */
async function inOrder(
  stage: Stage,
  ask: (queue: Queue) => readonly Promise<string>[],
): Promise<readonly string[]> {
  const { scratch, clock } = stage;
  const dispatcher = await stage.ready({ window: 1, clock });
  const held = await startRun(dispatcher, 'hold', { until: scratch.path('go') });
  const log = scratch.path('log');
  const calls = ask((mark, priority) => dispatcher.run('mark', { log, mark }, { priority }));
  scratch.touch('go');
  await held.answer;
  await Promise.all(calls);
  return scratch.lines('log');
}

async function workerOf(dispatcher: Dispatcher<ConformanceTasks>, key: string): Promise<number> {
  return (await dispatcher.run('tell', undefined, { key })).workerId;
}
