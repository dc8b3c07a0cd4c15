import { expect, test } from 'vitest';
import {
  createCoordinator,
  createMemoryCoordinator,
  createMemoryStore,
  shareLoads,
} from '../src/shared/index.ts';

const load = async (key: unknown) => key;
const coordinator = createMemoryCoordinator();
const name = 'test';

test.each([
  [() => shareLoads(5 as never, { coordinator, name }), '`load` must be a function, got 5'],
  [() => shareLoads(load, undefined as never), '`options` must be an object, got undefined'],
  [
    () => shareLoads(load, { name } as never),
    '`coordinator` must be an object with claim, forget, forgetTag, forgottenTags, stats, close, got undefined',
  ],
  [
    () => shareLoads(load, { coordinator } as never),
    '`name` must be 1 to 100 characters without spaces and braces, got undefined',
  ],
  [
    () => shareLoads(load, { coordinator, name: 'a}b' }),
    '`name` must be 1 to 100 characters without spaces and braces, got a}b',
  ],
  [
    () => shareLoads(load, { coordinator, name, lease: 1 } as never),
    'unknown option `lease`; did you mean `leaseMs`?',
  ],
  [
    () => shareLoads(load, { coordinator, name, codec: {} as never }),
    '`codec` must be an object with encode, decode, got [object Object]',
  ],
  [
    () => shareLoads(load, { coordinator, name, key: 'id' as never }),
    '`key` must be a function, got id',
  ],
])('misuse %#: %s', (misuse, message) => {
  expect(misuse).toThrow(new TypeError(`Cannot share loads: ${message}`));
});

test.each([
  [{ leaseMs: 29 }, '`leaseMs` must be an integer of 30 to 2147483647, got 29'],
  [{ maxBytes: 0 }, '`maxBytes` must be an integer of 1 to 9007199254740991, got 0'],
  [{ ttlMs: -1 }, '`ttlMs` must be 0 to 2147483647, or a function, got -1'],
  [{ errorTtlMs: -1 }, '`errorTtlMs` must be 0 to 2147483647, got -1'],
  [{ jitter: 2 }, '`jitter` must be 0 to 1, got 2'],
  [{ refresh: -1 }, '`refresh` must be 0 or more, got -1'],
])('range %#: %o', (options, message) => {
  expect(() => shareLoads(load, { coordinator, name, ...options })).toThrow(
    new RangeError(`Cannot share loads: ${message}`),
  );
});

test.each([
  [{ commandTimeoutMs: 0 }, '`commandTimeoutMs` must be an integer of 1 to 2147483647, got 0'],
  [{ downMs: 0 }, '`downMs` must be an integer of 1 to 2147483647, got 0'],
])('range of a coordinator %#: %o', (options, message) => {
  expect(() => createCoordinator(createMemoryStore(), options)).toThrow(
    new RangeError(`Cannot create coordinator: ${message}`),
  );
});

test('a key that is no plain data is refused', async () => {
  const shared = shareLoads(load, { coordinator, name });
  const context = { key: load, signal: new AbortController().signal, waiters: 1 };
  await expect(shared(load, context)).rejects.toThrow('must be data, got function load');
});
