import { expect, test } from 'vitest';
import { coalesce, createCoalescer } from '../src/index.ts';

const load = async (key: unknown) => key;
const name = 'test';

test.each([
  [() => createCoalescer(5 as never, { name }), '`load` must be a function, got 5'],
  [() => createCoalescer(load, null as never), '`options` must be an object, got null'],
  [() => createCoalescer(load, { name: '' }), "`name` must be a text, got ''"],
  [
    () => createCoalescer(load, { name, ttl: 5 } as never),
    'unknown option `ttl`; did you mean `ttlMs`?',
  ],
  [
    () => createCoalescer(load, { name, maxSize: 5 } as never),
    'unknown option `maxSize`; did you mean `maxBytes`?',
  ],
  [
    () => createCoalescer(load, { name, sizeCalculation: () => 5 } as never),
    'unknown option `sizeCalculation`; did you mean `sizeOf`?',
  ],
  [
    () => createCoalescer(load, { name, maxBytes: 5 }),
    'option `maxBytes` needs `sizeOf`, got none',
  ],
  [() => createCoalescer(load, { name, sizeOf: 5 as never }), '`sizeOf` must be a function, got 5'],
  ...['max', 'size'].map((other): [() => unknown, string] => [
    () => createCoalescer(load, { name, [other]: 5 } as never),
    `unknown option \`${other}\`; did you mean \`maxEntries\`?`,
  ]),
  [() => createCoalescer(load, { name, key: 'id' } as never), '`key` must be a function, got id'],
  [() => createCoalescer(load, { name, random: 1 } as never), '`random` must be a function, got 1'],
  [
    () => createCoalescer(load, { name, abortWhen: 'always' as never }),
    '`abortWhen` must be one of unused, never, got always',
  ],
  [
    () => createCoalescer(load, { name, overflow: 'wait' as never }),
    '`overflow` must be one of reject, bypass, got wait',
  ],
  [
    () => createCoalescer(load, { name, share: 'copy' as never }),
    '`share` must be one of reference, freeze, or a function, got copy',
  ],
  [
    () => createCoalescer(load, { name, context: 'none' as never }),
    '`context` must be one of detached, caller, got none',
  ],
])('misuse %#: %s', (misuse, message) => {
  expect(misuse).toThrow(new TypeError(`Cannot create coalescer: ${message}`));
});

test.each([
  [{ loadTimeoutMs: 0 }, '`loadTimeoutMs` must be 1 to 2147483647, got 0'],
  [{ loadTimeoutMs: -1 }, '`loadTimeoutMs` must be 1 to 2147483647, got -1'],
  [{ errorTtlMs: -1 }, '`errorTtlMs` must be 0 or more, got -1'],
  [{ ttlMs: Number.NaN }, '`ttlMs` must be 0 or more, or a function, got NaN'],
  [{ staleMs: -5 }, '`staleMs` must be 0 or more, or a function, got -5'],
  [{ jitter: 2 }, '`jitter` must be 0 to 1, got 2'],
  [{ maxKeys: 0 }, '`maxKeys` must be an integer of 1 or more, got 0'],
  [{ maxWaitersPerKey: 1.5 }, '`maxWaitersPerKey` must be an integer of 1 or more, got 1.5'],
  [
    { maxEntries: Number.POSITIVE_INFINITY },
    '`maxEntries` must be an integer of 1 or more, got Infinity',
  ],
])('createCoalescer(%j) is refused', (options, message) => {
  expect(() => createCoalescer(load, { name, ...options })).toThrow(
    new RangeError(`Cannot create coalescer: ${message}`),
  );
});

test.each([
  [{ signal: 'stop' }, new TypeError('Cannot get: `signal` must be an AbortSignal, got stop')],
  [
    { timeout: 5 },
    new TypeError('Cannot get: unknown option `timeout`; did you mean `timeoutMs`?'),
  ],
  [{ fresh: 1 }, new TypeError('Cannot get: `fresh` must be true or false, got 1')],
  [{ timeoutMs: 0 }, new RangeError('Cannot get: `timeoutMs` must be 1 to 2147483647, got 0')],
  [
    { timeoutMs: Number.NaN },
    new RangeError('Cannot get: `timeoutMs` must be 1 to 2147483647, got NaN'),
  ],
])('get(key, %j) rejects', async (options, error) => {
  const coalescer = createCoalescer(load, { name });
  await expect(coalescer.get('a', options as never)).rejects.toThrow(error);
  expect(coalescer.stats()).toMatchObject({ loaded: 0, inFlight: 0 });
});

test('coalesce() refuses what is no function', () => {
  expect(() => coalesce('fetch' as never, { name })).toThrow(
    new TypeError('Cannot coalesce: `call` must be a function, got fetch'),
  );
});

test('a text for a number is a TypeError', () => {
  expect(() => createCoalescer(load, { name, ttlMs: '5' as never })).toThrow(
    new TypeError('Cannot create coalescer: `ttlMs` must be 0 or more, or a function, got 5'),
  );
});

test('values without text, as objects without prototype, have a message of their own', async () => {
  const odd = Object.create(null);
  const noText = 'got an object without text';
  expect(() => createCoalescer(odd, { name })).toThrow(
    new TypeError(`Cannot create coalescer: \`load\` must be a function, ${noText}`),
  );
  expect(() => createCoalescer(load, { name: odd })).toThrow(
    new TypeError(`Cannot create coalescer: \`name\` must be a text, ${noText}`),
  );
  expect(() => createCoalescer(load, { name, maxKeys: odd })).toThrow(
    new TypeError(
      `Cannot create coalescer: \`maxKeys\` must be an integer of 1 or more, ${noText}`,
    ),
  );
  expect(() => coalesce(odd, { name })).toThrow(
    new TypeError(`Cannot coalesce: \`call\` must be a function, ${noText}`),
  );
  await expect(createCoalescer(load, { name }).get(1, { signal: odd })).rejects.toThrow(
    new TypeError(`Cannot get: \`signal\` must be an AbortSignal, ${noText}`),
  );
});

test('options may be an object without prototype', async () => {
  const options = Object.assign(Object.create(null), { name });
  expect(await createCoalescer(load, options).get(1)).toBe(1);
});
