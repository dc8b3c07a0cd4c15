import {
  createInProcessDispatcher,
  type Dispatcher,
  defineTasks,
  type TasksOf,
} from '@ticketing/dispatch';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  type FakeTasks,
  streamOf,
  turn,
  watch,
} from '@ticketing/dispatch/test/kernel-fixture';
import { withoutTime } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { withFallback, withHedge } from '../src/index.ts';

checkPoolsAfterEach();

const tasks = defineTasks({ echo: async (value: number) => value });

test('wrappers have the streams of their first dispatcher, and hedge none', async () => {
  const first = createPool();
  const local = createPool();
  await first.ready();
  const wrapped = withFallback(withHedge(first.dispatcher, { afterMs: 1 }), local.dispatcher);
  expect(wrapped.capabilities.streams).toBe(true);
  const items = streamOf(wrapped, { idempotent: true });
  const next = watch(items.next());
  await turn();
  first.transport.at(0).start();
  first.transport.at(0).emit({ kind: 'item', seq: 1, value: 'far' });
  await turn();
  expect(next.value).toEqual({ done: false, value: 'far' });
  first.transport.at(0).answer(1);
  expect(await items.next()).toEqual({ done: true, value: undefined });
});

test('withHedge passes a broadcast on, withFallback has the workers of both run it', async () => {
  const first = createPool({ name: 'far' });
  const local = createPool({ name: 'near' });
  await first.ready();
  await local.ready();
  const hedged = withHedge(first.dispatcher, { afterMs: 50 });
  const both = watch(withFallback(hedged, local.dispatcher).broadcast('echo', 1));
  await turn();
  first.transport.at(0).answer(1, 'far away');
  local.transport.at(0).answer(1, 'near by');
  await turn();
  expect(both.value).toMatchObject([{ value: 'far away' }, { value: 'near by' }]);
});

/** Inputs that note how far they were read, and when they were ended. */
function queue() {
  const state = { read: 0, returned: 0 };
  const inputs: Iterable<unknown> = {
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: state.read++ }),
      return() {
        state.returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  return { state, inputs };
}

async function consume(outcomes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of outcomes);
}

test('map() of a lent dispatcher and of wrappers ends with them', async () => {
  const { pool, ready } = createPool();
  await ready();
  const local = createInProcessDispatcher(tasks);
  const lent: Dispatcher<FakeTasks> = pool.lend();
  const hedged = withHedge(pool.lend(), { afterMs: 10 });
  const wrapped: Dispatcher<FakeTasks> = withFallback(hedged, local as never);
  for (const dispatcher of [lent, wrapped]) {
    void dispatcher.drain();
    const { state, inputs } = queue();
    const done = watch(consume(dispatcher.map('echo', inputs, { concurrency: 2 })));
    await turn();
    errorOf(done, 'ERR_DRAINING');
    expect(state).toEqual({ read: 0, returned: 1 });
    await dispatcher.close();
    const after = watch(consume(dispatcher.map('echo', queue().inputs, { concurrency: 2 })));
    await turn();
    errorOf(after, 'ERR_CLOSED');
  }
});

test('map() of wrappers in one another holds what the workers hold', async () => {
  const { dispatcher, transport, ready } = createPool({ max: 2, window: 3 });
  await ready();
  const local = createInProcessDispatcher(tasks);
  const wrapped = withFallback(withHedge(dispatcher, { afterMs: 10 }), local as never);
  const { state, inputs } = queue();
  const done = watch(consume(wrapped.map('echo', inputs)));
  await turn();
  expect(state.read).toBe(6);
  void wrapped.drain();
  for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
  await turn();
  errorOf(done, 'ERR_DRAINING');
});

test('map() of a wrapper around a dispatcher of another make holds the windows of its workers', async () => {
  const { dispatcher, ready, transport } = createPool({ max: 2, window: 3 });
  await ready();
  const { kind, capabilities } = dispatcher;
  const other = {
    ...{ kind, capabilities, state: 'ready' as const },
    run: (...call: [never, never]) => dispatcher.run(...call),
    capacity: (signal?: AbortSignal) => dispatcher.capacity(signal),
    stats: () => ({ ...dispatcher.stats(), workers: [{ window: 1 }, { window: 3 }] }),
    ...{ map() {}, drain() {}, close() {} },
  };
  const hedged = withHedge(other as never as typeof dispatcher, { afterMs: 1000 });
  const { state, inputs } = queue();
  const stop = new AbortController();
  const done = watch(consume(hedged.map('echo', inputs, { signal: stop.signal })));
  await turn();
  expect(state.read).toBe(4);
  stop.abort('enough');
  for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
  await turn();
  expect(done.error).toBe('enough');
});

test('calls that need no time are answered under fake timers', async () => {
  const answer = await withoutTime(async () => {
    const [first, local] = [createInProcessDispatcher(tasks), createInProcessDispatcher(tasks)];
    await using dispatcher = withFallback(withHedge(first, { afterMs: 1 }), local);
    return await dispatcher.run('echo', 1);
  });
  expect(answer).toBe(1);
});

test('Dispatcher of TasksOf is the type of any dispatcher of a module, also a double and a wrapper', async () => {
  type Ours = Dispatcher<TasksOf<{ readonly default: typeof tasks }>>;
  const echoed = async (dispatcher: Ours): Promise<number> => dispatcher.run('echo', 2);
  await using first = createInProcessDispatcher(tasks, { clone: true });
  expect(await echoed(withHedge(first, { afterMs: 1000 }))).toBe(2);
});
