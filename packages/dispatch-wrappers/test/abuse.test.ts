import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { expect, test } from 'vitest';
import { withFallback, withHedge } from '../src/index.ts';

test.each([
  [[5, 5], '`dispatcher` must be an object with run, map, capacity, stats, drain, close, got 5'],
  [['good', {}], '`local` must be an object with run, map, capacity, stats, drain, close, got'],
  [['good', 'good', 5], '`options` must be an object, got 5'],
  [['good', 'good', { most: 5 }], 'unknown option `most`; known are maxInFlight, clock'],
  [
    ['good', 'good', { maxInFlight: 0 }],
    '`maxInFlight` must be an integer of 1 to 2147483647, got 0',
  ],
])('withFallback(%j) throws', async (given, message) => {
  await using good = createInProcessDispatcher(defineTasks({ echo: (n: number) => n }));
  const [first, local, options] = given.map((each) => (each === 'good' ? good : each));
  expect(() => withFallback(first as never, local as never, options as never)).toThrow(
    `Cannot add a fallback: ${message}`,
  );
});

test.each([
  [
    [5, { afterMs: 1 }],
    '`dispatcher` must be an object with run, map, capacity, stats, drain, close, got 5',
  ],
  [['good', 5], '`options` must be an object, got 5'],
  [['good', {}], '`afterMs` must be 1 to 2147483647, got undefined'],
  [['good', { afterMs: 0 }], '`afterMs` must be 1 to 2147483647, got 0'],
  [['good', { afterMs: 1, share: 0 }], '`share` must be above 0, to 1, got 0'],
  [['good', { after: 1 }], 'unknown option `after`; did you mean `afterMs`?'],
])('withHedge(%j) throws', async (given, message) => {
  await using good = createInProcessDispatcher(defineTasks({ echo: (n: number) => n }));
  const [dispatcher, options] = given.map((each) => (each === 'good' ? good : each));
  expect(() => withHedge(dispatcher as never, options as never)).toThrow(
    `Cannot hedge calls: ${message}`,
  );
});

test.each([
  [
    'drain',
    { timeout: 5 },
    TypeError,
    'drain: unknown option `timeout`; did you mean `timeoutMs`?',
  ],
  ['drain', { timeoutMs: 0 }, RangeError, 'drain: `timeoutMs` must be 1 to 2147483647, got 0'],
  ['close', { graceMs: -1 }, RangeError, 'close: `graceMs` must be 0 to 2147483647, got -1'],
] as const)(
  '%s(%j) of a wrapper rejects, and ends nothing',
  async (method, options, type, message) => {
    const tasks = defineTasks({ echo: (n: number) => n });
    await using first = createInProcessDispatcher(tasks);
    await using local = createInProcessDispatcher(tasks);
    for (const wrapper of [withHedge(first, { afterMs: 1 }), withFallback(first, local)]) {
      await wrapper.ready();
      await expect(wrapper[method](options as never)).rejects.toThrow(
        new type(`Cannot ${message}`),
      );
      expect([wrapper.state, first.state]).toEqual(['ready', 'ready']);
    }
  },
);

test.each([
  [{ timeout: 5 }, 'unknown option `timeout`; did you mean `timeoutMs`?'],
  [null, '`options` must be an object, got null'],
  [{ idempotent: true, onWorker: 5 }, '`onWorker` must be a function, got 5'],
  [{ idempotent: true, onNoWorker: 5 }, '`onNoWorker` must be a function, got 5'],
  [{ idempotent: true, signal: 5 }, '`signal` must be an AbortSignal, got 5'],
])('run() of a wrapper with the options %j rejects', async (options, message) => {
  const tasks = defineTasks({ echo: (n: number) => n });
  await using first = createInProcessDispatcher(tasks);
  await using local = createInProcessDispatcher(tasks);
  const wrapper = withFallback(withHedge(first, { afterMs: 1 }), local);
  const error = new TypeError(`Cannot run task: ${message}`);
  await expect(wrapper.run('echo', 1, options as never)).rejects.toThrow(error);
});
