import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { FakeWorker } from '../fake-transport.ts';
import { checkPoolsAfterEach, createPool, errorOf, turn, watch } from '../kernel-fixture.ts';

checkPoolsAfterEach();

type Outcome = PromiseSettledResult<unknown>;

/** Inputs that note how far they were read, and whether they were ended. */
function source(count: number) {
  const state = { read: 0, ended: false };
  const inputs: Iterable<number> = {
    *[Symbol.iterator]() {
      try {
        for (let index = 0; index < count; index++) {
          state.read += 1;
          yield index;
        }
      } finally {
        state.ended = true;
      }
    },
  };
  return { state, inputs };
}

function collect(results: AsyncIterable<Outcome>) {
  const outcomes: unknown[] = [];
  const done = watch(
    (async () => {
      for await (const outcome of results) {
        outcomes.push(outcome.status === 'fulfilled' ? outcome.value : outcome.reason);
      }
    })(),
  );
  return { outcomes, done };
}

/** Answers what the worker has, until it has nothing, each by its input. */
async function answerAll(worker: FakeWorker): Promise<void> {
  await turn();
  while (worker.open.length > 0) {
    for (const { seq, input } of worker.open) worker.answer(seq, input);
    await turn();
  }
}

test('map() gives each outcome in the order of the inputs, also failures', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 4 });
  await ready();
  const { outcomes, done } = collect(dispatcher.map('echo', [0, 1, 2], { concurrency: 3 }));
  await turn();
  const error = new Error('one');
  transport.at(0).answer(3, 'two');
  transport.at(0).fail(2, error);
  await turn();
  expect(outcomes).toEqual([]);
  transport.at(0).answer(1, 'zero');
  await turn();
  expect(outcomes).toEqual(['zero', error, 'two']);
  expect(done.state).toBe('resolved');
});

test('map() with ordered: false gives outcomes as they settle', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 4 });
  await ready();
  const options = { concurrency: 3, ordered: false };
  const { outcomes, done } = collect(dispatcher.map('echo', [0, 1, 2], options));
  await turn();
  transport.at(0).answer(3, 'two');
  transport.at(0).answer(1, 'zero');
  await turn();
  expect(outcomes).toEqual(['two', 'zero']);
  transport.at(0).answer(2, 'one');
  await turn();
  expect(outcomes).toEqual(['two', 'zero', 'one']);
  expect(done.state).toBe('resolved');
});

test('map() has at most `concurrency` in flight, and reads no further ahead', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 10 });
  await ready();
  const { state, inputs } = source(9);
  const { outcomes, done } = collect(dispatcher.map('echo', inputs, { concurrency: 3 }));
  await turn();
  expect([state.read, transport.at(0).open.length]).toEqual([3, 3]);
  // In order, what came early is held back, and holds its place.
  transport.at(0).answer(2, 1);
  await turn();
  expect(state.read).toBe(3);
  transport.at(0).answer(1, 0);
  await turn();
  expect([state.read, transport.at(0).open.length]).toEqual([5, 3]);
  await answerAll(transport.at(0));
  expect(outcomes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect([done.state, state.ended]).toEqual(['resolved', true]);
});

test('map() reads no input before an outcome is requested, and no more than needed', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 10 });
  await ready();
  const { state, inputs } = source(9);
  const iterator = dispatcher.map('echo', inputs, { concurrency: 2 })[Symbol.asyncIterator]();
  await turn();
  expect(state.read).toBe(0);
  const first = iterator.next();
  await answerAll(transport.at(0));
  expect(await first).toMatchObject({ value: { value: 0 } });
  expect(state.read).toBe(2);
  await iterator.return?.();
  expect(state.ended).toBe(true);
});

test('map() has as many in flight by default as the workers hold, and follows their number', async () => {
  const { dispatcher, pool, ready, transport } = createPool({ max: 3, window: 4 });
  await ready();
  const { state, inputs } = source(30);
  const { done } = collect(dispatcher.map('echo', inputs, { ordered: false }));
  await turn();
  expect(state.read).toBe(12);
  void pool.scale(4);
  await ready();
  transport.at(0).answer(1, 0);
  await turn();
  expect(state.read).toBe(17);
  void dispatcher.close();
  await turn();
  errorOf(done, 'ERR_CLOSED');
});

test('map() has as many in flight as automatic windows may come to hold', async () => {
  const autoWindow = { first: 2, max: 5 };
  const { dispatcher, ready } = createPool({ max: 2, window: 'auto' }, { autoWindow });
  await ready();
  const { state, inputs } = source(30);
  collect(dispatcher.map('echo', inputs));
  await turn();
  expect(state.read).toBe(10);
});

test('the outcomes of map() have their input and its number, also rejections out of order', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 4 });
  await ready();
  const inputs = [{ id: 'a' }, { id: 'b' }];
  const outcomes = dispatcher.map('echo', inputs, { ordered: false })[Symbol.asyncIterator]();
  const first = outcomes.next();
  await turn();
  const reason = new Error('lost');
  transport.at(0).fail(2, reason);
  const { value } = await first;
  expect(value).toEqual({ status: 'rejected', reason, input: { id: 'b' }, index: 1 });
  expect(value.input).toBe(inputs[1]);
  await outcomes.return?.();
});

test('map() waits for room instead of meeting a full queue', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 1, maxQueue: 0 });
  await ready();
  const { outcomes, done } = collect(dispatcher.map('echo', source(20).inputs, { concurrency: 8 }));
  await answerAll(transport.at(0));
  expect(outcomes).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(done.state).toBe('resolved');
  expect(dispatcher.stats().rejected).toBe(0);
});

test('map() takes inputs that come one after the other', async () => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  async function* inputs() {
    for (let index = 0; index < 5; index++) {
      await turn();
      yield index;
    }
  }
  const { outcomes, done } = collect(dispatcher.map('echo', inputs()));
  while (done.state === 'pending') await answerAll(transport.at(0));
  expect(outcomes).toEqual([0, 1, 2, 3, 4]);
});

test('map() aborts the calls in flight and ends the inputs when its consumer stops early', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 10 });
  await ready();
  const { state, inputs } = source(9);
  const left = watch(
    (async () => {
      for await (const _ of dispatcher.map('echo', inputs, { concurrency: 3 })) break;
    })(),
  );
  await turn();
  transport.at(0).start();
  transport.at(0).answer(1);
  await turn();
  expect(left.state).toBe('resolved');
  expect(state).toEqual({ read: 3, ended: true });
  expect(transport.at(0).aborts).toMatchObject([
    { seq: 2, reason: { code: 'ERR_CLOSED' } },
    { seq: 3, reason: { code: 'ERR_CLOSED' } },
  ]);
  expect(dispatcher.stats()).toMatchObject({ running: 0, aborted: 2 });
});

test('map() that is aborted settles what it read, and throws the reason', async () => {
  const { dispatcher, ready, transport } = createPool({ window: 1 });
  await ready();
  const controller = new AbortController();
  const { signal } = controller;
  const { state, inputs } = source(9);
  const { outcomes, done } = collect(dispatcher.map('echo', inputs, { concurrency: 3, signal }));
  await turn();
  transport.at(0).answer(1, 0);
  await turn();
  controller.abort('enough');
  await turn();
  expect(outcomes).toEqual([0, 'enough', 'enough', 'enough']);
  expect(done).toMatchObject({ state: 'rejected', error: 'enough' });
  expect(state).toEqual({ read: 4, ended: true });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('map() throws the error of its inputs, after the calls so far have settled', async () => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  const error = new Error('disk');
  function* inputs() {
    yield 0;
    yield 1;
    throw error;
  }
  const { outcomes, done } = collect(dispatcher.map('echo', inputs(), { concurrency: 5 }));
  await turn();
  expect(done.state).toBe('pending');
  await answerAll(transport.at(0));
  expect(outcomes).toEqual([0, 1]);
  expect(done).toMatchObject({ state: 'rejected', error });
});

test('map() throws what async inputs reject with', async () => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  const error = new Error('socket');
  async function* inputs() {
    yield 0;
    throw error;
  }
  const { outcomes, done } = collect(dispatcher.map('echo', inputs()));
  while (done.state === 'pending') await answerAll(transport.at(0));
  expect(outcomes).toEqual([0]);
  expect(done).toMatchObject({ state: 'rejected', error });
});

test('map() does not wait for an input that never comes once it is left', async () => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  let returned = 0;
  const inputs: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => {
      let index = 0;
      return {
        next: () =>
          index++ === 0 ? Promise.resolve({ done: false, value: 0 }) : new Promise<never>(() => {}),
        return: () => {
          returned += 1;
          return Promise.resolve({ done: true as const, value: undefined });
        },
      };
    },
  };
  const left = watch(
    (async () => {
      for await (const _ of dispatcher.map('echo', inputs)) break;
    })(),
  );
  await answerAll(transport.at(0));
  expect([left.state, returned]).toEqual(['resolved', 1]);
});

test('map() passes the options of calls on', async () => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  const { done } = collect(
    dispatcher.map('echo', [0], { metadata: { trace: 't' }, runTimeoutMs: 5, priority: 1 }),
  );
  await turn();
  expect(transport.at(0).runs).toMatchObject([{ metadata: { trace: 't' }, announce: true }]);
  await answerAll(transport.at(0));
  expect(done.state).toBe('resolved');
});

test('map() over a closing dispatcher gives the outcome of each input that it read', async () => {
  const { dispatcher, ready } = createPool({ window: 1, maxQueue: 0 });
  await ready();
  const { outcomes, done } = collect(dispatcher.map('echo', [0, 1, 2], { concurrency: 2 }));
  await turn();
  void dispatcher.close();
  await turn();
  errorOf(done, 'ERR_CLOSED');
  expect(outcomes).toHaveLength(2);
  for (const error of outcomes) {
    errorOf({ state: 'rejected', value: undefined, error }, 'ERR_CLOSED');
  }
});
