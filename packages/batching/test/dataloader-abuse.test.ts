import { DataLoader as Own } from '@ticketing/batching/dataloader';
import Npm from 'dataloader';
import { describe, expect, test } from 'vitest';

// Each test runs on npm's `dataloader` and on the class that takes its place.
const implementations: [string, typeof Npm][] = [
  ['npm', Npm],
  ['own', Own as unknown as typeof Npm],
];

describe.each(implementations)('%s DataLoader', (_, DataLoader) => {
  test.each<[string, unknown, unknown, string]>([
    [
      'no function',
      { oops: true },
      undefined,
      'DataLoader must be constructed with a function which accepts Array<key> and returns Promise<Array<value>>, but got: [object Object].',
    ],
    ['no size', () => {}, { maxBatchSize: 0 }, 'maxBatchSize must be a positive number: 0'],
    [
      'a text as size',
      () => {},
      { maxBatchSize: '2' },
      'maxBatchSize must be a positive number: 2',
    ],
    [
      'null as size',
      () => {},
      { maxBatchSize: null },
      'maxBatchSize must be a positive number: null',
    ],
    [
      'no schedule',
      () => {},
      { batchScheduleFn: null },
      'batchScheduleFn must be a function: null',
    ],
    ['no key function', () => {}, { cacheKeyFn: 'id' }, 'cacheKeyFn must be a function: id'],
    [
      'half a map',
      () => {},
      { cacheMap: { get() {} } },
      'Custom cacheMap missing methods: set, delete, clear',
    ],
  ])('refuses %s', (_, load, options, message) => {
    expect(() => new DataLoader(load as never, options as never)).toThrow(new TypeError(message));
  });

  test('refuses keys that are none', () => {
    const loader = new DataLoader<unknown, unknown>(async (keys) => [...keys]);
    for (const key of [null, undefined]) {
      expect(() => loader.load(key)).toThrow(
        new TypeError(`The loader.load() function must be called with a value, but got: ${key}.`),
      );
    }
    for (const keys of [null, 'ab', 1, { length: 1 }]) {
      expect(() => loader.loadMany(keys as never)).toThrow(
        new TypeError(
          `The loader.loadMany() function must be called with Array<key> but got: ${keys}.`,
        ),
      );
    }
  });

  test.each<[string, (keys: readonly number[]) => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
      'but the function errored synchronously: Error: down.',
    ],
    ['returns no promise', (keys) => keys, 'but the function did not return a Promise: 1,2.'],
    ['returns nothing', () => undefined, 'but the function did not return a Promise: undefined.'],
    [
      'promises no array',
      async () => null,
      'but the function did not return a Promise of an Array: null.',
    ],
    [
      'promises too few values',
      async () => [1],
      'but the function did not return a Promise of an Array of the same length as the Array of keys.\n\nKeys:\n1,2\n\nValues:\n1',
    ],
  ])('a batch function that %s rejects each key', async (_, load, message) => {
    const loader = new DataLoader<number, number>(load as never);
    const error = new TypeError(
      `DataLoader must be constructed with a function which accepts Array<key> and returns Promise<Array<value>>, ${message}`,
    );
    expect(await loader.loadMany([1, 2])).toEqual([error, error]);
  });
});

// npm's ends the process, or says that it cannot convert an object to a primitive value.
test('own DataLoader takes an object without prototype, thrown or returned, for what it is', async () => {
  const odd = Object.create(null);
  expect(() => new Own(odd)).toThrow(/^DataLoader must be .*, but got: an object without text\.$/);
  const throwing = new Own<number, number>(() => {
    throw odd;
  });
  await expect(throwing.load(1)).rejects.toThrow('errored synchronously: an object without text.');
  const returning = new Own<number, number>(() => odd);
  await expect(returning.load(1)).rejects.toThrow('not return a Promise: an object without text.');
  const promising = new Own<number, number>(async () => odd);
  await expect(promising.load(1)).rejects.toThrow('Promise of an Array: an object without text.');
});
