import { expect, test } from 'vitest';
import { createGuard, type GuardOptions } from '../src/index.ts';

test.each<[unknown, typeof TypeError | typeof RangeError, string]>([
  [undefined, TypeError, '`options` must be an object, got undefined'],
  [{}, TypeError, '`name` must be a text, got undefined'],
  [{ name: '' }, TypeError, "`name` must be a text, got ''"],
  [{ name: 'a', retries: 2 }, TypeError, 'unknown option `retries`; did you mean `retry`?'],
  [
    { name: 'a', timeout: 2 },
    TypeError,
    'unknown option `timeout`; did you mean `attemptTimeoutMs`?',
  ],
  [
    { name: 'a', perSecond: 2 },
    TypeError,
    'unknown option `perSecond`; did you mean `rate.perSecond`?',
  ],
  [{ name: 'a', classify: 'failure' }, TypeError, '`classify` must be a function, got failure'],
  [{ name: 'a', now: 5 }, TypeError, '`now` must be a function, got 5'],
  [{ name: 'a', random: 0.5 }, TypeError, '`random` must be a function, got 0.5'],
  [
    { name: 'a', attemptTimeoutMs: 0 },
    RangeError,
    '`attemptTimeoutMs` must be an integer of 1 to 2147483647, got 0',
  ],
  [{ name: 'a', rate: 5 }, TypeError, '`rate` must be an object, got 5'],
  [
    { name: 'a', rate: { perSecond: 5 } },
    TypeError,
    '`rate.burst` must be an integer of 1 to 1000000, got undefined',
  ],
  [
    { name: 'a', rate: { perSecond: 0, burst: 1 } },
    RangeError,
    '`rate.perSecond` must be above 0, to 1000000, got 0',
  ],
  [
    { name: 'a', rate: { perSecond: 1, burst: 0.5 } },
    RangeError,
    '`rate.burst` must be an integer of 1 to 1000000, got 0.5',
  ],
  [
    { name: 'a', rate: { perSecond: 1, burst: 1, maxWait: 1 } },
    TypeError,
    'unknown option `rate.maxWait`; did you mean `maxWaitMs`?',
  ],
  [
    { name: 'a', concurrency: {} },
    TypeError,
    '`concurrency` must have either `limit` or `adaptive`, got none',
  ],
  [
    { name: 'a', concurrency: { limit: 1, adaptive: {} } },
    TypeError,
    '`concurrency` must have either `limit` or `adaptive`, got both',
  ],
  [
    { name: 'a', concurrency: { limit: 0 } },
    RangeError,
    '`concurrency.limit` must be an integer of 1 to 1000000, got 0',
  ],
  [
    { name: 'a', concurrency: { adaptive: { min: 9, initial: 8 } } },
    RangeError,
    '`concurrency.adaptive.min` must be at most `concurrency.adaptive.initial` (8), got 9',
  ],
  [
    { name: 'a', concurrency: { adaptive: { initial: 9, max: 8 } } },
    RangeError,
    '`concurrency.adaptive.initial` must be at most `concurrency.adaptive.max` (8), got 9',
  ],
  [{ name: 'a', circuit: true }, TypeError, '`circuit` must be false or an object, got true'],
  [
    { name: 'a', circuit: { threshold: 1 } },
    TypeError,
    'unknown option `circuit.threshold`; known are windowCalls, windowMs, minCalls, failureShare, openMs, maxOpenMs, probes',
  ],
  [
    { name: 'a', circuit: { failureShare: 0 } },
    RangeError,
    '`circuit.failureShare` must be above 0, to 1, got 0',
  ],
  [
    { name: 'a', circuit: { windowCalls: 5, minCalls: 6 } },
    RangeError,
    '`circuit.minCalls` must be at most `circuit.windowCalls` (5), got 6',
  ],
  [
    { name: 'a', circuit: { openMs: 5, maxOpenMs: 4 } },
    RangeError,
    '`circuit.openMs` must be at most `circuit.maxOpenMs` (4), got 5',
  ],
  [{ name: 'a', retry: 3 }, TypeError, '`retry` must be false or an object, got 3'],
  [
    { name: 'a', retry: { retries: 3 } },
    TypeError,
    'unknown option `retry.retries`; did you mean `maxAttempts`?',
  ],
  [
    { name: 'a', retry: { maxAttempts: 0 } },
    RangeError,
    '`retry.maxAttempts` must be an integer of 1 to 100, got 0',
  ],
  [
    { name: 'a', retry: { budget: { share: 2 } } },
    RangeError,
    '`retry.budget.share` must be 0 to 1, got 2',
  ],
  [
    { name: 'a', retry: { budget: { ttlMs: 10 } } },
    RangeError,
    '`retry.budget.ttlMs` must be an integer of 1000 to 60000, got 10',
  ],
  [{ name: 'a', hedge: 50 }, TypeError, '`hedge` must be false or an object, got 50'],
  [
    { name: 'a', hedge: { afterPercentile: 95 } },
    RangeError,
    '`hedge.afterPercentile` must be above 0 and below 1, got 95',
  ],
  [
    { name: 'a', hedge: { minSamples: 257 } },
    RangeError,
    '`hedge.minSamples` must be an integer of 1 to 256, got 257',
  ],
])('createGuard(%j) throws', (options, type, message) => {
  expect(() => createGuard(options as GuardOptions)).toThrow(
    new type(`Cannot create guard: ${message}`),
  );
});

test('defaults give way to what is given', () => {
  const limitOf = (adaptive: object) =>
    createGuard({ name: 'a', concurrency: { adaptive } }).stats().concurrency.limit;
  expect(limitOf({})).toBe(16);
  expect(limitOf({ max: 8 })).toBe(8);
  expect(limitOf({ min: 20 })).toBe(20);
  expect(limitOf({ initial: 300 })).toBe(300);
  expect(limitOf({ max: 1 })).toBe(1);
  for (const circuit of [{ windowCalls: 5 }, { maxOpenMs: 100 }, { openMs: 90_000 }]) {
    expect(createGuard({ name: 'a', circuit }).stats().circuit?.kind).toBe('closed');
  }
});

test.each([
  [undefined, {}, '`fn` must be a function, got undefined'],
  [() => 1, null, '`options` must be an object, got null'],
  [() => 1, { timeout: 5 }, 'unknown option `timeout`; known are signal, deadline'],
  [() => 1, { signal: 5 }, '`signal` must be an AbortSignal, got 5'],
  [() => 1, { deadline: 'soon' }, '`deadline` must be a number, got soon'],
  [() => 1, { deadline: Number.NaN }, '`deadline` must be a number, got NaN'],
])('run(%o, %j) rejects', async (fn, options, message) => {
  await using guard = createGuard({ name: 'a' });
  await expect(guard.run(fn as never, options as never)).rejects.toThrow(
    new TypeError(`Cannot run a call: ${message}`),
  );
  expect(guard.stats().calls.begun).toBe(0);
});

test('execute() rejects what is no function, and what is no signal', async () => {
  await using guard = createGuard({ name: 'a' });
  await expect(guard.execute(5 as never)).rejects.toThrow(
    new TypeError('Cannot run a call: `fn` must be a function, got 5'),
  );
  await expect(guard.execute(() => 1, {} as never)).rejects.toThrow(
    new TypeError('Cannot run a call: `signal` must be an AbortSignal, got [object Object]'),
  );
});
