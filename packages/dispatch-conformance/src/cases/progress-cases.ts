import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { turns, until } from '@ticketing/test-kit';
import { rejected, rejectedWith } from '../calls.ts';
import { type CaseDraft, needsCopies, test } from '../conformance-case.ts';
import { contextKey } from '../conformance-task-map.ts';

/** Reports of running tasks. */
export const progressCases: readonly CaseDraft[] = [
  test('onProgress gets everything in order, and all of it before the call resolves', async (stage) => {
    const dispatcher = await stage.ready();
    const heard: unknown[] = [];
    const call = dispatcher.run(
      'report',
      { times: 100 },
      { onProgress: (data) => heard.push(data) },
    );
    const times = await call.then((value) => {
      heard.push('resolved');
      return value;
    });
    await turns();
    const numbers = Array.from({ length: times }, (_, index) => index + 1);
    assert.deepEqual(heard, [...numbers, 'resolved']);
  }),
  test('reports of calls at once go each to its own caller', async (stage) => {
    const dispatcher = await stage.ready();
    const heard = new Map<number, unknown[]>();
    const calls = [1, 2, 3, 4, 5].map((times) => {
      const own: unknown[] = [];
      heard.set(times, own);
      return dispatcher.run('report', { times }, { onProgress: (data) => own.push(data) });
    });
    await Promise.all(calls);
    for (const [times, own] of heard) {
      assert.deepEqual(
        own,
        Array.from({ length: times }, (_, index) => index + 1),
      );
    }
  }),
  test('a report without a listener is dropped', async (stage) => {
    const dispatcher = await stage.ready();
    assert.equal(await dispatcher.run('report', { times: 3 }), 3);
  }),
  test('an onProgress that throws rejects its call with that, and the worker stays', async (stage) => {
    const dispatcher = await stage.ready();
    const before = await dispatcher.run('tell', undefined);
    const error = new Error('thrown by onProgress');
    let calls = 0;
    const call = dispatcher.run(
      'report',
      { times: 10 },
      {
        onProgress() {
          calls += 1;
          throw error;
        },
      },
    );
    assert.equal(await rejected(call), error);
    assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    assert.equal(calls, 1, 'calls of onProgress');
    assert.equal(dispatcher.stats().failed, 1);
  }),
  test('a report after the answer is dropped', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready();
    const heard: unknown[] = [];
    const answer = await dispatcher.run(
      'reportLate',
      { log: scratch.path('log'), mark: 'reported late' },
      { onProgress: (data) => heard.push(data) },
    );
    assert.equal(answer, 'answered');
    await scratch.reached('log', 1);
    await dispatcher.run('echo', 1);
    assert.deepEqual(heard, []);
  }),
  test('a report after an abort is dropped', async (stage) => {
    const dispatcher = await stage.ready();
    const controller = stage.controller();
    const heard: unknown[] = [];
    const call = dispatcher.run(
      'report',
      { times: 1000 },
      {
        signal: controller.signal,
        onProgress(data) {
          heard.push(data);
          if (data === 3) controller.abort();
        },
      },
    );
    await rejected(call);
    await dispatcher.run('echo', 1);
    assert.deepEqual(heard, [1, 2, 3]);
  }),
  test(
    'a report that cannot be cloned rejects its call with ERR_NOT_CLONEABLE, and no other',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const onProgress = (): void => {};
      const [, answer] = await Promise.all([
        rejectedWith(
          'ERR_NOT_CLONEABLE',
          dispatcher.run('reportFunction', undefined, { onProgress }),
        ),
        dispatcher.run('echo', 1),
      ]);
      assert.equal(answer, 1);
      assert.equal(dispatcher.stats().lost, 0);
    },
  ),
];

/** The context of a task. */
export const contextCases: readonly CaseDraft[] = [
  test('a task knows its call, its worker, its attempt and its metadata', async (stage) => {
    const dispatcher = await stage.ready();
    const metadata = { traceparent: '00-1-2-03', locale: 'es-ES' };
    const first = await dispatcher.run('tell', undefined, { metadata });
    const second = await dispatcher.run('tell', undefined);
    assert.deepEqual(first.metadata, metadata);
    assert.deepEqual(second.metadata, {});
    assert.deepEqual([first.attempt, first.aborted, first.deadline], [1, false, undefined]);
    assert.notEqual(first.id, second.id);
    const worker = dispatcher.stats().workers[0];
    assert.deepEqual([worker?.workerId, worker?.pid], [first.workerId, first.pid]);
  }),
  test('a task knows the slot of its worker, and its successor has the same', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const tell = async (): Promise<readonly number[]> => {
      const told = await Promise.all(keys.map((key) => dispatcher.run('tell', undefined, { key })));
      const slots = new Map(dispatcher.stats().workers.map((each) => [each.workerId, each.slot]));
      for (const { workerId, slot } of told) assert.equal(slot, slots.get(workerId), 'its slot');
      return told.map(({ slot }) => slot);
    };
    const before = await tell();
    const { workers } = dispatcher.stats();
    assert.deepEqual([...new Set(before)].sort(), workers.map(({ slot }) => slot).sort());
    await dispatcher.reload();
    assert.deepEqual(await tell(), before, 'the slots of the successors');
  }),
  test('a task takes its context apart, and is run by its name alone if it takes no input', async (stage) => {
    const dispatcher = await stage.ready();
    const heard: unknown[] = [];
    const onProgress = (data: unknown): void => void heard.push(data);
    assert.equal(await dispatcher.run('report', { times: 2 }, { onProgress }), 2);
    assert.deepEqual(heard, [1, 2]);
    const { attempt } = await dispatcher.run('tell');
    assert.equal(attempt, 1);
  }),
  test('stats() has the latest report of the module in each worker', async (stage) => {
    const dispatcher = await stage.ready();
    const { pid } = await dispatcher.run('tell', undefined);
    await until(() => dispatcher.stats().workers[0]?.moduleReport !== undefined);
    assert.deepEqual(dispatcher.stats().workers[0]?.moduleReport, { pid });
  }),
  test('workers have different ids and, if they are processes, different pids', async (stage) => {
    const dispatcher = await stage.ready({ max: 2, window: 1 });
    const { workers } = dispatcher.stats();
    assert.equal(new Set(workers.map(({ workerId }) => workerId)).size, 2);
    if (stage.subject.capabilities.isolation !== 'process') return;
    const pids = new Set(workers.map(({ pid }) => pid));
    assert.equal(pids.size, 2);
    assert.ok(!pids.has(process.pid), 'processes of their own');
  }),
  test('subscribers hand texts on: from the start of a call to the task and its worker’s subscribers', async (stage) => {
    const dispatcher = await stage.ready();
    const calls = tracingChannel<unknown, { metadata: Record<string, string> }>(
      'ticketing:dispatch:run',
    );
    const add = (message: unknown): void => {
      Object.assign((message as { metadata: object }).metadata, { trace: 'added', own: 'no' });
    };
    await dispatcher.run('traceTasks', true);
    calls.start.subscribe(add);
    try {
      const answer = dispatcher.run('traced', undefined, { metadata: { own: 'yes' } });
      const { workerId } = dispatcher.stats().workers[0] ?? {};
      const [before, after] = (await answer) as { readonly id: number }[];
      const metadata = { trace: 'added', own: 'yes' };
      const message = { task: 'traced', id: before?.id, attempt: 1, workerId, metadata };
      assert.deepEqual(before, message);
      assert.deepEqual(after, message);
    } finally {
      calls.start.unsubscribe(add);
    }
    await rejected(dispatcher.run('fail', 'coded'));
    const events = await dispatcher.run('traceTasks', false);
    const eventsOf = (task: string): string[] =>
      events.flatMap(({ event, message }) => (message['task'] === task ? [event] : []));
    assert.deepEqual(eventsOf('traced'), ['start', 'end', 'asyncStart', 'asyncEnd']);
    assert.deepEqual(eventsOf('fail'), ['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    assert.deepEqual(await dispatcher.run('traced', undefined), [undefined, undefined]);
  }),
  test('the async context of the caller does not reach the task, queued or not', async (stage) => {
    const storage = new AsyncLocalStorage<string>();
    const shared = globalThis as { [contextKey]?: AsyncLocalStorage<string> };
    shared[contextKey] = storage;
    try {
      const dispatcher = await storage.run('of the creator’s caller', () =>
        stage.dispatcher({ window: 1 }),
      );
      const calls = ['one', 'two', 'three'].map((store) =>
        storage.run(store, () => dispatcher.run('context', undefined)),
      );
      for (const seen of await Promise.all(calls)) {
        assert.ok(seen === undefined || seen === 'of the creator’s caller', `got ${seen}`);
      }
    } finally {
      delete shared[contextKey];
    }
  }),
  test('onProgress and what follows the call keep the async context of the caller', async (stage) => {
    const storage = new AsyncLocalStorage<string>();
    const dispatcher = await stage.ready({ window: 1 });
    const stores = ['one', 'two', 'three'];
    const calls = stores.map((store) =>
      storage.run(store, async () => {
        const heard: unknown[] = [];
        const onProgress = (): void => void heard.push(storage.getStore());
        await dispatcher.run('report', { times: 2 }, { onProgress });
        return [...heard, storage.getStore()];
      }),
    );
    assert.deepEqual(
      await Promise.all(calls),
      stores.map((store) => [store, store, store]),
    );
  }),
];
