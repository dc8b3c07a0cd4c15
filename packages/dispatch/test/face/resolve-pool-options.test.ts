import { anObject, systemClock, usableCores } from '@ticketing/kit';
import { expect, test } from 'vitest';
import type { PoolOptions } from '../../src/contract/pool-options.ts';
import { resolvePoolOptions, splitPoolOptions } from '../../src/kernel/options.ts';

const resolve = (options: PoolOptions) => resolvePoolOptions('create dispatcher', 'fork', options);
const wrong = (options: object) => () => resolve(options as PoolOptions);

test('resolvePoolOptions() fills in every default', () => {
  const cores = usableCores();
  expect(resolve({})).toEqual({
    name: 'fork',
    min: cores,
    max: cores,
    window: 'auto',
    maxQueue: 10_000,
    maxWaitMs: Infinity,
    abortGraceMs: 1000,
    stopGraceMs: 1000,
    startTimeoutMs: 30_000,
    healthMs: 5000,
    idleTimeoutMs: 30_000,
    recycle: {
      ...{ tasks: Infinity, ageMs: Infinity, rssBytes: Infinity, heapBytes: Infinity },
      ...{ utilisation: Infinity, jitter: 0.1 },
    },
    restart: { backoffMs: [100, 5000], maxFailures: 5, withinMs: 10_000 },
    busyPoll: true,
    clock: systemClock,
    random: Math.random,
  });
});

test('resolvePoolOptions() keeps what is given, at both ends of each range', () => {
  const least = {
    name: 'search',
    min: 1,
    max: 1,
    window: 1,
    maxQueue: 0,
    maxWaitMs: 0,
    abortGraceMs: 0,
    stopGraceMs: 0,
    startTimeoutMs: 1,
    healthMs: 1,
    idleTimeoutMs: 1,
    recycle: { tasks: 1, ageMs: 1, rssBytes: 1, heapBytes: 1, utilisation: 0.01, jitter: 0 },
    busyPoll: false,
    workerData: null,
    clock: { ...systemClock },
    random: () => 0,
  };
  expect(
    resolve({ ...least, restart: { backoffMs: [1, 1], maxFailures: 0, withinMs: 1 } }),
  ).toStrictEqual({
    ...least,
    restart: { backoffMs: [1, 1], maxFailures: 0, withinMs: 1 },
  });
  const timer = 2 ** 31 - 1;
  const most = {
    min: 1024,
    max: 1024,
    window: 65_536,
    maxQueue: timer,
    maxWaitMs: Infinity,
    abortGraceMs: timer,
    stopGraceMs: timer,
    startTimeoutMs: timer,
    healthMs: timer,
    idleTimeoutMs: Infinity,
    recycle: {
      ...{ tasks: 2 ** 53 - 1, ageMs: 2 ** 40, rssBytes: 2 ** 40, heapBytes: 2 ** 40 },
      ...{ utilisation: 1, jitter: 1 },
    },
  };
  expect(
    resolve({
      ...most,
      restart: { backoffMs: [timer, timer], maxFailures: 10_000, withinMs: timer },
    }),
  ).toMatchObject({
    ...most,
    restart: { backoffMs: [timer, timer], maxFailures: 10_000, withinMs: timer },
  });
});

test('resolvePoolOptions() takes undefined as absent, also in groups', () => {
  const absent = { name: undefined, min: undefined, recycle: undefined, restart: {} };
  expect(resolve(absent as unknown as PoolOptions)).toEqual(resolve({}));
  expect(resolve({ recycle: { tasks: undefined } } as unknown as PoolOptions)).toEqual(resolve({}));
});

test('resolvePoolOptions() sets min to max by default', () => {
  expect(resolve({ max: 3 })).toMatchObject({ min: 3, max: 3 });
  expect(resolve({ min: 1, max: 3 })).toMatchObject({ min: 1, max: 3 });
});

test('resolvePoolOptions() refuses a min above max', () => {
  expect(wrong({ min: 3, max: 2 })).toThrow(
    new RangeError('Cannot create dispatcher: `min` must be 0 to max (2), got 3'),
  );
  const cores = usableCores();
  expect(wrong({ min: cores + 1 })).toThrow(
    new RangeError(
      `Cannot create dispatcher: \`min\` must be 0 to max (${cores}), got ${cores + 1}`,
    ),
  );
});

const TIMER = 2_147_483_647;
const backoff = `\`restart.backoffMs\` must be [min, max] of 1 to ${TIMER}, min not above max`;

test.each<[object, string, typeof TypeError | typeof RangeError]>([
  [{ name: '' }, "`name` must be a text, got ''", TypeError],
  [{ min: -1 }, '`min` must be an integer of 0 to 1024, got -1', RangeError],
  [{ min: 1.5 }, '`min` must be an integer of 0 to 1024, got 1.5', RangeError],
  [{ max: 1025 }, '`max` must be an integer of 1 to 1024, got 1025', RangeError],
  [{ max: '4' }, '`max` must be an integer of 1 to 1024, got 4', TypeError],
  [{ max: null }, '`max` must be an integer of 1 to 1024, got null', TypeError],
  [{ window: 0 }, '`window` must be auto or an integer of 1 to 65536, got 0', RangeError],
  [{ window: 'big' }, '`window` must be auto or an integer of 1 to 65536, got big', TypeError],
  [{ maxQueue: -1 }, `\`maxQueue\` must be an integer of 0 to ${TIMER}, got -1`, RangeError],
  [{ abortGraceMs: -1 }, `\`abortGraceMs\` must be 0 to ${TIMER}, got -1`, RangeError],
  [{ startTimeoutMs: 0 }, `\`startTimeoutMs\` must be 1 to ${TIMER}, got 0`, RangeError],
  [{ healthMs: Infinity }, `\`healthMs\` must be 1 to ${TIMER}, got Infinity`, RangeError],
  [{ recycle: null }, '`recycle` must be an object, got null', TypeError],
  [{ recycle: 100 }, '`recycle` must be an object, got 100', TypeError],
  [{ recycle: { tasks: 0 } }, '`recycle.tasks` must be an integer of 1 or more, got 0', RangeError],
  [{ recycle: { ageMs: 0 } }, '`recycle.ageMs` must be 1 or more, got 0', RangeError],
  [{ recycle: { rssBytes: NaN } }, '`recycle.rssBytes` must be 1 or more, got NaN', RangeError],
  [{ recycle: { heapBytes: 0 } }, '`recycle.heapBytes` must be 1 or more, got 0', RangeError],
  [
    { recycle: { utilisation: 0 } },
    '`recycle.utilisation` must be above 0, to 1, got 0',
    RangeError,
  ],
  [
    { recycle: { utilisation: 95 } },
    '`recycle.utilisation` must be above 0, to 1, got 95',
    RangeError,
  ],
  [
    { recycle: { utilisation: '95%' } },
    '`recycle.utilisation` must be above 0, to 1, got 95%',
    TypeError,
  ],
  [{ recycle: { jitter: 2 } }, '`recycle.jitter` must be 0 to 1, got 2', RangeError],
  [{ restart: { backoffMs: 100 } }, `${backoff}, got 100`, RangeError],
  [{ restart: { backoffMs: '100' } }, `${backoff}, got 100`, TypeError],
  [{ restart: { backoffMs: [100] } }, `${backoff}, got 100`, RangeError],
  [{ restart: { backoffMs: [2, 1] } }, `${backoff}, got 2,1`, RangeError],
  [{ restart: { backoffMs: [0, 1] } }, `${backoff}, got 0,1`, RangeError],
  [{ restart: { backoffMs: ['1', 2] } }, `${backoff}, got 1,2`, TypeError],
  [
    { restart: { maxFailures: 10_001 } },
    '`restart.maxFailures` must be an integer of 0 to 10000, got 10001',
    RangeError,
  ],
  [{ restart: { withinMs: 0 } }, `\`restart.withinMs\` must be 1 to ${TIMER}, got 0`, RangeError],
  [{ clock: {} }, '`clock` must be an object with now, setTimeout, clearTimeout', TypeError],
  [{ random: 0.5 }, '`random` must be a function, got 0.5', TypeError],
])('resolvePoolOptions() refuses %j', (options, message, error) => {
  expect(wrong(options)).toThrow(error);
  expect(wrong(options)).toThrow(`Cannot create dispatcher: ${message}`);
});

test('resolvePoolOptions() refuses unknown options, also in groups', () => {
  const unknown = (name: string) => `Cannot create dispatcher: unknown option \`${name}\`; `;
  for (const name of ['workers', 'maxWorkers', 'maxThreads', 'size']) {
    expect(wrong({ [name]: 2 })).toThrow(new TypeError(`${unknown(name)}did you mean \`max\`?`));
  }
  expect(wrong({ recycle: { task: 2 } })).toThrow(
    new TypeError(`${unknown('recycle.task')}did you mean \`tasks\`?`),
  );
  expect(wrong({ restart: { backoff: 2 } })).toThrow(unknown('restart.backoff'));
});

test("splitPoolOptions() parts the pool's options from those of the transport", () => {
  const options = { max: 2, recycle: { tasks: 1 }, env: { A: '1' } };
  expect(splitPoolOptions('create dispatcher', options, { env: anObject })).toEqual({
    pool: { max: 2, recycle: { tasks: 1 } },
    own: { env: { A: '1' } },
  });
});

test('splitPoolOptions() refuses an unknown option, and knows the options of both', () => {
  for (const [name, near] of [
    ['maxQueueSize', 'maxQueue'],
    ['envs', 'env'],
  ] as const) {
    expect(() =>
      splitPoolOptions('create dispatcher', { [name]: 1 } as object, { env: anObject }),
    ).toThrow(
      new TypeError(
        `Cannot create dispatcher: unknown option \`${name}\`; did you mean \`${near}\`?`,
      ),
    );
  }
  for (const options of ['{ "__proto__": 1 }', '{ "constructor": 2 }']) {
    const parsed = JSON.parse(options) as object;
    expect(() => splitPoolOptions('create dispatcher', parsed, {})).toThrow(/unknown option/);
  }
});

test('splitPoolOptions() refuses a value that is no object', () => {
  for (const options of [null, 'fast', 4]) {
    expect(() => splitPoolOptions('create dispatcher', options as never, {})).toThrow(
      new TypeError(`Cannot create dispatcher: \`options\` must be an object, got ${options}`),
    );
  }
});
