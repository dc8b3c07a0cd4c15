import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CaseDraft } from '../conformance-case.ts';
import { contextKey } from '../conformance-task-map.ts';

/** What a task knows of its call. */
export const contextCases: readonly CaseDraft[] = [
  {
    name: 'a task knows its call, its worker, its attempt and its metadata',
    async act(stage) {
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
    },
  },
  {
    name: 'workers are told apart, by id and, if they are processes, by pid',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2, window: 1 });
      const { workers } = dispatcher.stats();
      assert.equal(new Set(workers.map(({ workerId }) => workerId)).size, 2);
      if (stage.subject.capabilities.isolation !== 'process') return;
      const pids = new Set(workers.map(({ pid }) => pid));
      assert.equal(pids.size, 2);
      assert.ok(!pids.has(process.pid), 'processes of their own');
    },
  },
  {
    name: 'the async context of the caller does not reach the task, queued or not',
    async act(stage) {
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
    },
  },
  {
    name: 'onProgress and what follows the call keep the async context of the caller',
    async act(stage) {
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
    },
  },
];
