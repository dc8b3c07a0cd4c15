import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dispatcher } from '../../src/contract/dispatcher.ts';
import { defineTasks } from '../../src/define-tasks.ts';
import { createInProcessDispatcher } from '../../src/in-process/create-in-process-dispatcher.ts';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  type FakeTasks,
  turn,
  watch,
} from '../kernel-fixture.ts';

checkPoolsAfterEach();

type Outcome = PromiseSettledResult<unknown> & { readonly input: unknown };

/** A queue of messages that notes how far it was read, and when it was ended. */
function queue(length = 1000, isAsync = false) {
  const state = { read: 0, returned: 0 };
  const next = (): IteratorResult<number> =>
    state.read === length ? { done: true, value: undefined } : { done: false, value: state.read++ };
  const end = (): IteratorResult<number> => {
    state.returned += 1;
    return { done: true, value: undefined };
  };
  const inputs: Iterable<number> | AsyncIterable<number> = isAsync
    ? { [Symbol.asyncIterator]: () => ({ next: async () => next(), return: async () => end() }) }
    : { [Symbol.iterator]: () => ({ next, return: end }) };
  return { state, inputs };
}

function consume(outcomes: AsyncIterable<Outcome>) {
  const seen: Outcome[] = [];
  const done = watch(
    (async () => {
      for await (const outcome of outcomes) seen.push(outcome);
    })(),
  );
  return { seen, done };
}

function inputsOf(seen: readonly Outcome[]): unknown[] {
  return seen.map(({ input }) => input).sort((a, b) => Number(a) - Number(b));
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test('map() over a closed dispatcher reads nothing, and throws ERR_CLOSED', async () => {
  const { dispatcher, ready } = createPool();
  await ready();
  void dispatcher.close();
  const { state, inputs } = queue();
  const { seen, done } = consume(dispatcher.map('echo', inputs));
  await turn();
  expect(errorOf(done, 'ERR_CLOSED').message).toBe(
    `Cannot run \`echo\`: dispatcher \`${dispatcher.stats().name}\` is closed`,
  );
  expect({ ...state, seen: seen.length }).toEqual({ read: 0, returned: 1, seen: 0 });
});

test('drain() ends map(): what had begun settles, and inputs are read no more', async () => {
  for (const ordered of [true, false]) {
    const { dispatcher, ready, transport } = createPool({ window: 2, maxQueue: 0 });
    await ready();
    const { state, inputs } = queue();
    const { seen, done } = consume(dispatcher.map('echo', inputs, { concurrency: 3, ordered }));
    await turn();
    void dispatcher.drain();
    await turn();
    expect(done.state).toBe('pending');
    transport.at(0).answer(1, 'a');
    transport.at(0).answer(2, 'b');
    await turn();
    errorOf(done, 'ERR_DRAINING');
    expect(inputsOf(seen)).toEqual([0, 1, 2]);
    // It had been read and waited for room: its consumer puts it back.
    expect(
      seen.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
    ).toEqual(['a', 'b', 'ERR_DRAINING']);
    expect(state).toEqual({ read: 3, returned: 1 });
  }
});

test('map() of an unknown task stops reading, and throws ERR_UNKNOWN_TASK', async () => {
  const local = createInProcessDispatcher(defineTasks({ echo: (input: unknown) => input }));
  for (const isAsync of [false, true]) {
    const { state, inputs } = queue(1000, isAsync);
    const options = { concurrency: 3 };
    const { seen, done } = consume(local.map('missing' as 'echo', inputs, options));
    while (done.state === 'pending') await turn();
    errorOf(done, 'ERR_UNKNOWN_TASK');
    expect(state.read).toBeLessThanOrEqual(3);
    expect(inputsOf(seen)).toEqual(upTo(state.read));
    expect(state.returned).toBe(1);
  }
  await local.close();
});

test('an open circuit ends map() with ERR_CIRCUIT_OPEN', async () => {
  const { dispatcher, transport } = createPool({ maxQueue: 5, restart: { maxFailures: 0 } });
  const { state, inputs } = queue();
  const { seen, done } = consume(dispatcher.map('echo', inputs, { concurrency: 4 }));
  await turn();
  transport.at(0).startFailed(new Error('no'));
  await turn();
  errorOf(done, 'ERR_CIRCUIT_OPEN');
  expect(state).toEqual({ read: 4, returned: 1 });
  expect(inputsOf(seen)).toEqual([0, 1, 2, 3]);
});

test('errors that a task throws never end map(), also with the code of another dispatcher', async () => {
  const closed = createInProcessDispatcher(defineTasks({ echo: () => 1 }), { name: 'other' });
  await closed.close();
  const local = createInProcessDispatcher(defineTasks({ echo: () => closed.run('echo') }));
  const { seen, done } = consume(local.map('echo', queue(20).inputs as Iterable<undefined>));
  while (done.state === 'pending') await turn();
  expect([done.state, seen.length]).toEqual(['resolved', 20]);
  await local.close();
});

test('an input that comes after drain() is an outcome, and a source that waits is asked to end', async () => {
  const { dispatcher, ready } = createPool();
  await ready();
  let give = (_: IteratorResult<number>): void => {};
  let returned = 0;
  const inputs: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  const { seen, done } = consume(dispatcher.map('echo', inputs));
  await turn();
  void dispatcher.drain();
  await turn();
  expect([returned, done.state]).toEqual([1, 'pending']);
  give({ done: false, value: 7 });
  await turn();
  expect(seen).toMatchObject([{ status: 'rejected', input: 7, reason: { code: 'ERR_DRAINING' } }]);
  errorOf(done, 'ERR_DRAINING');
  expect(returned).toBe(1);
});

test('map() of a lent dispatcher ends with it', async () => {
  const { pool, ready } = createPool();
  await ready();
  const lent: Dispatcher<FakeTasks> = pool.lend();
  void lent.drain();
  const { state, inputs } = queue();
  const { done } = consume(lent.map('echo', inputs, { concurrency: 2 }));
  await turn();
  errorOf(done, 'ERR_DRAINING');
  expect(state).toEqual({ read: 0, returned: 1 });
  await lent.close();
  const { done: after } = consume(lent.map('echo', queue().inputs, { concurrency: 2 }));
  await turn();
  errorOf(after, 'ERR_CLOSED');
});

test('inputs read are outcomes yielded, whenever and however a dispatcher ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        concurrency: fc.integer({ min: 1, max: 5 }),
        window: fc.integer({ min: 1, max: 3 }),
        maxQueue: fc.integer({ min: 0, max: 3 }),
        answers: fc.integer({ min: 0, max: 6 }),
        end: fc.constantFrom('close' as const, 'drain' as const),
        ordered: fc.boolean(),
        isAsync: fc.boolean(),
      }),
      async ({ concurrency, window, maxQueue, answers, end, ordered, isAsync }) => {
        const { dispatcher, ready, transport } = createPool({ window, maxQueue });
        await ready();
        const { state, inputs } = queue(1000, isAsync);
        const { seen, done } = consume(dispatcher.map('echo', inputs, { concurrency, ordered }));
        for (let count = 0; count < answers; count++) {
          await turn();
          const call = transport.at(0).open[0];
          if (call !== undefined) transport.at(0).answer(call.seq, call.input);
        }
        const before = state.read;
        void dispatcher[end]();
        await turn();
        while (done.state === 'pending') {
          for (const { seq, input } of transport.at(0).open) transport.at(0).answer(seq, input);
          await turn();
        }
        errorOf(done, end === 'close' ? 'ERR_CLOSED' : 'ERR_DRAINING');
        expect(state.read - before).toBeLessThanOrEqual(concurrency);
        expect(inputsOf(seen)).toEqual(upTo(state.read));
        expect(state.returned).toBe(1);
      },
    ),
    { numRuns: 60 },
  );
});
