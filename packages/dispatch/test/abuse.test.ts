import { expect, test } from 'vitest';
import { createInProcessDispatcher, defineTasks } from '../src/index.ts';
import { createDispatcher } from '../src/kernel/create-pool.ts';
import { FakeTransport } from './fake-transport.ts';
import { checkPoolsAfterEach, createPool, turn, watch } from './kernel-fixture.ts';

checkPoolsAfterEach();

const never = undefined as never;

test.each([
  [5, '`options` must be an object, got 5'],
  [null, '`options` must be an object, got null'],
  [{ workers: 2 }, 'unknown option `workers`; did you mean `max`?'],
  [{ name: '' }, "`name` must be a text, got ''"],
  [
    { clock: {} },
    '`clock` must be an object with now, setTimeout, clearTimeout, got [object Object]',
  ],
  [{ random: 1 }, '`random` must be a function, got 1'],
  [{ window: 'wide' }, '`window` must be auto or an integer of 1 to 65536, got wide'],
  [{ recycle: 5 }, '`recycle` must be an object, got 5'],
  [{ recycle: { rss: 5 } }, 'unknown option `recycle.rss`; did you mean `rssBytes`?'],
  [
    { restart: { backoffMs: 'soon' } },
    '`restart.backoffMs` must be [min, max] of 1 to 2147483647, min not above max, got soon',
  ],
  [{ max: '2' }, '`max` must be an integer of 1 to 1024, got 2'],
  [
    { max: Object.create(null) },
    '`max` must be an integer of 1 to 1024, got an object without text',
  ],
  [
    { clock: Object.create(null) },
    '`clock` must be an object with now, setTimeout, clearTimeout, got an object without text',
  ],
  [
    { recycle: { ageMs: Object.create(null) } },
    '`recycle.ageMs` must be 1 or more, got an object without text',
  ],
  [
    { restart: { backoffMs: [Object.create(null), 1] } },
    '`restart.backoffMs` must be [min, max] of 1 to 2147483647, min not above max, got an object without text',
  ],
] as const)('createDispatcher(%j) is a TypeError', (options, message) => {
  expect(() => createDispatcher(new FakeTransport(), options as never)).toThrow(
    new TypeError(`Cannot create dispatcher: ${message}`),
  );
});

test.each([
  [{ min: -1 }, '`min` must be an integer of 0 to 1024, got -1'],
  [{ min: 3, max: 2 }, '`min` must be 0 to max (2), got 3'],
  [{ max: 1025 }, '`max` must be an integer of 1 to 1024, got 1025'],
  [{ window: 0 }, '`window` must be auto or an integer of 1 to 65536, got 0'],
  [{ maxQueue: -1 }, '`maxQueue` must be an integer of 0 to 2147483647, got -1'],
  [{ maxWaitMs: -1 }, '`maxWaitMs` must be 0 or more, got -1'],
  [{ abortGraceMs: -1 }, '`abortGraceMs` must be 0 to 2147483647, got -1'],
  [{ startTimeoutMs: 0 }, '`startTimeoutMs` must be 1 to 2147483647, got 0'],
  [{ healthMs: Number.NaN }, '`healthMs` must be 1 to 2147483647, got NaN'],
  [{ idleTimeoutMs: 0 }, '`idleTimeoutMs` must be 1 or more, got 0'],
  [{ recycle: { tasks: 0 } }, '`recycle.tasks` must be an integer of 1 or more, got 0'],
  [{ recycle: { jitter: 2 } }, '`recycle.jitter` must be 0 to 1, got 2'],
  [
    { restart: { maxFailures: -1 } },
    '`restart.maxFailures` must be an integer of 0 to 10000, got -1',
  ],
])('createDispatcher(%j) is a RangeError', (options, message) => {
  const transport = new FakeTransport();
  expect(() => createDispatcher(transport, options)).toThrow(
    new RangeError(`Cannot create dispatcher: ${message}`),
  );
  expect(transport.workers).toEqual([]);
});

test('createInProcessDispatcher() takes only what defineTasks made', () => {
  expect(() => createInProcessDispatcher({ echo: () => 1 } as never)).toThrow(
    expect.objectContaining({
      code: 'ERR_BAD_MODULE',
      message:
        'Cannot create dispatcher: `module` must be made by `defineTasks`, got an object with echo',
    }),
  );
});

test('createInProcessDispatcher() of a module names its default as the value to pass', async () => {
  const module = await import('./worker/serve-tasks-module.ts');
  expect(() => createInProcessDispatcher(module as never)).toThrow(
    'Cannot create dispatcher: `module` must be made by `defineTasks`, got a module; pass its `default`',
  );
});

test.each([
  [5, new TypeError('Cannot run task: `options` must be an object, got 5')],
  [
    { timeout: 5 },
    new TypeError('Cannot run task: unknown option `timeout`; did you mean `timeoutMs`?'),
  ],
  [{ signal: {} }, /`signal` must be an AbortSignal, got \{\}$/],
  [{ timeoutMs: 0 }, new RangeError('Cannot run task: `timeoutMs` must be 1 to 2147483647, got 0')],
  [
    { queueTimeoutMs: '5' },
    new TypeError('Cannot run task: `queueTimeoutMs` must be 1 to 2147483647, got 5'),
  ],
  [
    { runTimeoutMs: 2 ** 31 },
    new RangeError('Cannot run task: `runTimeoutMs` must be 1 to 2147483647, got 2147483648'),
  ],
  [
    { priority: 1.5 },
    new RangeError('Cannot run task: `priority` must be an integer of -1000 to 1000, got 1.5'),
  ],
  [{ key: 5 }, new TypeError('Cannot run task: `key` must be a text, got 5')],
  [{ retries: 1 }, new TypeError('Cannot run task: `idempotent` must be true with `retries`')],
  [
    { idempotent: true, retries: 101 },
    new RangeError('Cannot run task: `retries` must be an integer of 0 to 100, got 101'),
  ],
  [
    { idempotent: 'yes' },
    new TypeError('Cannot run task: `idempotent` must be true or false, got yes'),
  ],
  [
    { metadata: { a: 1 } },
    new TypeError('Cannot run task: `metadata` must be an object of texts, got an object with a'),
  ],
  [
    { onProgress: true },
    new TypeError('Cannot run task: `onProgress` must be a function, got true'),
  ],
  [
    { timeoutMs: Object.create(null) },
    new TypeError('Cannot run task: `timeoutMs` must be 1 to 2147483647, got {}'),
  ],
  [
    { signal: Object.create(null) },
    new TypeError('Cannot run task: `signal` must be an AbortSignal, got {}'),
  ],
] as const)('run() with %j rejects, and sends nothing', async (options, error) => {
  const { dispatcher, ready, transport } = createPool();
  await ready();
  const call = watch(dispatcher.run('echo', 0, options as never));
  await turn();
  expect(call.state).toBe('rejected');
  if (error instanceof RegExp) expect((call.error as Error).message).toMatch(error);
  else expect(call.error).toEqual(error);
  expect((call.error as Error).constructor).toBe(
    error instanceof RegExp ? TypeError : error.constructor,
  );
  expect(transport.at(0).inputs).toEqual([]);
  expect(dispatcher.stats()).toMatchObject({ asked: 1, rejected: 1 });
});

test.each([
  [undefined, 'undefined'],
  [5, '5'],
  [Symbol.iterator, 'Symbol(Symbol.iterator)'],
])('run(%s) rejects: a task has a name', async (task, got) => {
  const { dispatcher } = createPool();
  await expect(dispatcher.run(task as never, never)).rejects.toEqual(
    new TypeError(`Cannot run task: \`task\` must be a text, got ${got}`),
  );
});

test('run() of an unknown task rejects, once a worker has said which there are', async () => {
  const { dispatcher, ready } = createPool({ name: 'trips' });
  await ready();
  for (const [task, hint] of [
    ['ecco', 'did you mean `echo`?'],
    ['constructor', 'known are echo, other'],
    ['', 'known are echo, other'],
  ]) {
    await expect(dispatcher.run(task as never, never)).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_TASK',
      message: `Cannot run task: unknown task \`${task}\`; ${hint}`,
      data: { name: 'trips', task },
    });
  }
});

test.each([
  [5, new TypeError('Cannot map tasks: `options` must be an object, got 5')],
  [
    { concurrency: 0 },
    new RangeError('Cannot map tasks: `concurrency` must be an integer of 1 or more, got 0'),
  ],
  [
    { concurrency: '2' },
    new TypeError('Cannot map tasks: `concurrency` must be an integer of 1 or more, got 2'),
  ],
  [{ ordered: 1 }, new TypeError('Cannot map tasks: `ordered` must be true or false, got 1')],
  [
    { key: 'a' },
    new TypeError(
      'Cannot map tasks: unknown option `key`; known are signal, timeoutMs, queueTimeoutMs, runTimeoutMs, priority, idempotent, retries, metadata, onProgress, concurrency, ordered',
    ),
  ],
  [
    { transfer: [] },
    new TypeError(
      'Cannot map tasks: unknown option `transfer`; known are signal, timeoutMs, queueTimeoutMs, runTimeoutMs, priority, idempotent, retries, metadata, onProgress, concurrency, ordered',
    ),
  ],
  [{ retries: 1 }, new TypeError('Cannot map tasks: `idempotent` must be true with `retries`')],
])('map() with %j throws at once', (options, error) => {
  const { dispatcher } = createPool();
  expect(() => dispatcher.map('echo', [], options as never)).toThrow(error);
});

test.each([
  [undefined, 'undefined'],
  [5, '5'],
  [{ length: 1 }, 'an object with length'],
])('map() over %s throws', async (inputs, got) => {
  const { dispatcher } = createPool();
  const iterator = dispatcher.map('echo', inputs as never)[Symbol.asyncIterator]();
  await expect(iterator.next()).rejects.toEqual(
    new TypeError(`Cannot map tasks: \`inputs\` must be iterable, got ${got}`),
  );
});

test('capacity() rejects a signal of another type', async () => {
  const { dispatcher } = createPool();
  await expect(dispatcher.capacity({} as never)).rejects.toEqual(
    new TypeError('Cannot wait for capacity: `signal` must be an AbortSignal, got {}'),
  );
});

test('capacity() rejects options that it does not know', async () => {
  const { dispatcher } = createPool();
  await expect(dispatcher.capacity(undefined, { keys: 'a' } as never)).rejects.toEqual(
    new TypeError('Cannot wait for capacity: unknown option `keys`; did you mean `key`?'),
  );
  await expect(dispatcher.capacity(undefined, { key: 7 as never })).rejects.toEqual(
    new TypeError('Cannot wait for capacity: `key` must be a text, got 7'),
  );
});

test.each([
  [5, '`options` must be an object, got 5'],
  [{ modul: 'x' }, 'unknown option `modul`; did you mean `module`?'],
  [{ module: './tasks.js' }, '`module` must be a URL, got ./tasks.js'],
  [{ parallel: '2' }, '`parallel` must be an integer of 1 to 1024, got 2'],
])('reload(%j) rejects', async (options, message) => {
  const { dispatcher, transport } = createPool();
  await expect(dispatcher.reload(options as never)).rejects.toEqual(
    new TypeError(`Cannot reload: ${message}`),
  );
  expect(transport.workers).toHaveLength(1);
});

test.each([
  [5, new TypeError('Cannot drain: `options` must be an object, got 5')],
  [{ graceMs: 5 }, new TypeError('Cannot drain: unknown option `graceMs`; known are timeoutMs')],
  [{ timeoutMs: 0 }, new RangeError('Cannot drain: `timeoutMs` must be 1 to 2147483647, got 0')],
])('drain(%j) rejects, and drains nothing', async (options, error) => {
  const { dispatcher } = createPool();
  await expect(dispatcher.drain(options as never)).rejects.toEqual(error);
  expect(dispatcher.state).toBe('starting');
});

test.each([
  [5, new TypeError('Cannot close: `options` must be an object, got 5')],
  [{ timeoutMs: 5 }, new TypeError('Cannot close: unknown option `timeoutMs`; known are graceMs')],
  [{ graceMs: -1 }, new RangeError('Cannot close: `graceMs` must be 0 to 2147483647, got -1')],
])('close(%j) rejects, and closes nothing', async (options, error) => {
  const { dispatcher } = createPool();
  await expect(dispatcher.close(options as never)).rejects.toEqual(error);
  expect(dispatcher.state).toBe('starting');
});

test('the in-process dispatcher meets misuse in the same way', async () => {
  const dispatcher = createInProcessDispatcher(defineTasks({ echo: (input: unknown) => input }));
  await dispatcher.ready();
  await expect(dispatcher.run('ecco' as never, never)).rejects.toMatchObject({
    code: 'ERR_UNKNOWN_TASK',
    message: 'Cannot run task: unknown task `ecco`; did you mean `echo`?',
  });
  await expect(dispatcher.run(5 as never, never)).rejects.toThrow(TypeError);
  await dispatcher.close();
  await expect(dispatcher.run('echo', 1)).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  await expect(dispatcher.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});
