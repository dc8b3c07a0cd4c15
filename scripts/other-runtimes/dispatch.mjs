import assert from 'node:assert/strict';
import { createInProcessDispatcher } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createNatsDispatcher, serveNatsTasks } from '@ticketing/dispatch-nats';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { withFallback, withHedge } from '@ticketing/dispatch-wrappers';
import tasks from './tasks.mjs';

const module = new URL('tasks.mjs', import.meta.url);
const { WORKERS_NODE: execPath } = process.env;

export default {
  '@ticketing/dispatch': answers((options) => createInProcessDispatcher(tasks, options)),
  '`clone: true` of `@ticketing/dispatch`': answers((options) =>
    createInProcessDispatcher(tasks, { ...options, clone: true }),
  ),
  '@ticketing/dispatch-wrappers': answers((options) =>
    withFallback(
      withHedge(createInProcessDispatcher(tasks, options), { afterMs: 1000 }),
      createInProcessDispatcher(tasks),
    ),
  ),
  '@ticketing/dispatch-fork': workers((options) => createForkDispatcher(module, options)),
  '`execPath` of `@ticketing/dispatch-fork`': workers((options) =>
    createForkDispatcher(module, { ...options, execPath }),
  ),
  '@ticketing/dispatch-piscina': workers((options) => createPiscinaDispatcher(module, options)),
  '@ticketing/dispatch-nats': {
    async 'a host runs calls of a dispatcher'() {
      const nats = { servers: process.env.TEST_NATS_URL };
      const fleet = `runtimes-${process.pid}`;
      const local = createInProcessDispatcher(tasks);
      const host = serveNatsTasks({ nats, fleet, dispatcher: local, tasks: ['double', 'items'] });
      await host.ready();
      const dispatcher = createNatsDispatcher({ nats, fleet });
      assert.equal(await dispatcher.run('double', 2, { timeoutMs: 10_000 }), 4);
      assert.equal((await read(dispatcher.stream('items', 40))).length, 40);
      await dispatcher.close();
      await host.close();
      await local.close();
    },
  },
};

/** Cases of every dispatcher. */
function answers(create) {
  return cases(create, {
    async 'calls are answered, one by one and many at once'(dispatcher) {
      await dispatcher.ready();
      assert.equal(await dispatcher.run('double', 2), 4);
      const calls = Array.from({ length: 200 }, (_, number) => dispatcher.run('double', number));
      assert.equal((await Promise.all(calls)).at(-1), 398);
    },
    async 'errors keep their name, code and cause'(dispatcher) {
      const error = await dispatcher.run('fail').catch((thrown) => thrown);
      const { name, code, cause } = error;
      assert.deepEqual([name, code, cause.message], ['RangeError', 'ETHROWN', 'why']);
    },
    async 'progress and items arrive in order'(dispatcher) {
      const heard = [];
      await dispatcher.run('report', 3, { onProgress: (each) => heard.push(each) });
      assert.deepEqual(heard, [1, 2, 3]);
      const items = await read(dispatcher.stream('items', 40));
      assert.deepEqual(
        items,
        [...Array(40).keys()].map((each) => each + 1),
      );
    },
    async 'an abort and a timeout end a call, and the signal of its task'(dispatcher) {
      const leaves = new AbortController();
      const options = { signal: leaves.signal, onProgress: () => leaves.abort(new Error('left')) };
      await assert.rejects(dispatcher.run('untilAborted', undefined, options), /left/);
      const late = dispatcher.run('untilAborted', undefined, { timeoutMs: 50 });
      await assert.rejects(late, { code: 'ERR_TIMEOUT' });
      assert.equal(await dispatcher.run('double', 1), 2);
      assert.equal(dispatcher.stats().aborted, 2);
    },
    async 'map() and broadcast() have an outcome for each input and worker'(dispatcher) {
      const outcomes = await read(dispatcher.map('double', [1, 2, 3]));
      assert.deepEqual(
        outcomes.map(({ value }) => value),
        [2, 4, 6],
      );
      const [first] = await dispatcher.broadcast('double', 4);
      assert.equal(first.value, 8);
    },
    async 'AsyncLocalStorage reaches across await in a task'(dispatcher) {
      assert.equal(await dispatcher.run('context'), 'kept');
    },
  });
}

/** Cases of every dispatcher, and of workers that are threads or processes. */
function workers(create) {
  return {
    ...answers(create),
    ...cases(create, {
      async 'values that JSON does not keep arrive as they are'(dispatcher) {
        const value = {
          map: new Map([['a', new Date(5)]]),
          set: new Set([1n]),
          nothing: undefined,
        };
        assert.deepEqual(await dispatcher.run('echo', value), value);
      },
      async 'large texts and bytes arrive'(dispatcher) {
        const text = 'x'.repeat(1_000_000);
        assert.equal(await dispatcher.run('echo', text), text);
        const bytes = await dispatcher.run('bytes', 1_000_000);
        assert.deepEqual([bytes.length, bytes[999_999]], [1_000_000, 7]);
      },
      async 'a worker that ends loses its call alone, and has a successor'(dispatcher) {
        await assert.rejects(dispatcher.run('exit'), { code: 'ERR_WORKER_LOST' });
        assert.equal(await dispatcher.run('double', 3), 6);
        assert.equal(dispatcher.stats().lost, 1);
      },
      async 'an endless loop is ended'(dispatcher) {
        await dispatcher.ready();
        const call = dispatcher.run('loop', undefined, { timeoutMs: 200 });
        await assert.rejects(call, { code: 'ERR_TIMEOUT' });
        while (dispatcher.stats().killed === 0) await turn();
        assert.equal(await dispatcher.run('double', 3), 6);
      },
      async 'workers are replaced by reload()'(dispatcher) {
        await dispatcher.ready();
        await dispatcher.reload();
        assert.equal(await dispatcher.run('double', 3), 6);
        assert.equal(dispatcher.stats().spawned, 2);
      },
    }),
    async 'workerData reaches the tasks'() {
      const dispatcher = create({ max: 1, workerData: (slot) => ({ name: `slot ${slot}` }) });
      const data = await dispatcher.run('data');
      await dispatcher.close();
      assert.deepEqual(data, { workerData: { name: 'slot 0' }, slot: 0 });
    },
    async 'with min 0 there is no worker while there are no calls'() {
      const dispatcher = create({ min: 0, max: 1, idleTimeoutMs: 50 });
      assert.equal(dispatcher.stats().spawned, 0);
      assert.equal(await dispatcher.run('double', 3), 6);
      while (dispatcher.stats().workers.length > 0) await turn();
      await dispatcher.close();
    },
    async 'workers are gone after close()'() {
      const dispatcher = create({ max: 2 });
      await dispatcher.ready();
      const pids = dispatcher.stats().workers.map(({ pid }) => pid);
      await dispatcher.close();
      assert.deepEqual(dispatcher.stats().workers, []);
      for (const pid of pids.filter((each) => each !== process.pid && each !== undefined)) {
        assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
      }
    },
  };
}

/** Gives each case a dispatcher of its own. */
function cases(create, drafts) {
  return Object.fromEntries(
    Object.entries(drafts).map(([name, run]) => [
      name,
      async () => {
        const options = { max: 1, abortGraceMs: 200, restart: { maxFailures: 1 } };
        const dispatcher = create(options);
        try {
          await run(dispatcher);
        } finally {
          await dispatcher.close();
        }
      },
    ]),
  );
}

async function read(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}
