import { createBatcher, createCoalescer } from '@ticketing/batching';
import type { Subject } from '../subject.ts';

const keysOf = (size: number) => Array.from({ length: size }, (_, index) => `key-${index}`);
const load = async (key: string): Promise<number> => key.length;
const MANY = [10, 100, 1000, 10_000, 100_000, 1_000_000];

/** Bare map of promises: what one writes without the library, and without its limits. */
function sharing(): (key: string) => Promise<number> {
  const inFlight = new Map<string, Promise<number>>();
  return (key) => {
    const known = inFlight.get(key);
    if (known !== undefined) return known;
    const promise = load(key).finally(() => inFlight.delete(key));
    inFlight.set(key, promise);
    return promise;
  };
}

export const coalescingSubjects: readonly Subject[] = [
  {
    name: 'keys in flight',
    of: 'keys',
    sizes: MANY,
    contenders: [
      {
        name: '`createCoalescer`',
        prepare(size) {
          const keys = keysOf(size);
          const coalescer = createCoalescer(load, { maxKeys: size });
          return {
            work: () => Promise.all(keys.map((key) => coalescer.get(key))),
          };
        },
      },
      {
        name: 'map of promises',
        prepare(size) {
          const keys = keysOf(size);
          const get = sharing();
          return { work: () => Promise.all(keys.map(get)) };
        },
      },
    ],
  },
  {
    name: 'keys that are kept',
    of: 'keys',
    sizes: MANY,
    contenders: [
      {
        name: '`createCoalescer`',
        async prepare(size) {
          const keys = keysOf(size);
          const coalescer = createCoalescer(load, {
            ...{ maxKeys: size, maxEntries: size, ttlMs: 3_600_000 },
          });
          const ask = () => Promise.all(keys.map((key) => coalescer.get(key)));
          await ask();
          return { work: ask };
        },
      },
    ],
  },
  {
    name: 'callers of one key',
    of: 'callers',
    sizes: MANY,
    contenders: [
      {
        name: '`createCoalescer`',
        prepare(size) {
          const callers = Array.from({ length: size });
          const coalescer = createCoalescer(load, { maxWaitersPerKey: size });
          return {
            work: () => Promise.all(callers.map(() => coalescer.get('key'))),
          };
        },
      },
      {
        name: 'map of promises',
        prepare(size) {
          const callers = Array.from({ length: size });
          const get = sharing();
          return { work: () => Promise.all(callers.map(() => get('key'))) };
        },
      },
    ],
  },
  {
    name: 'keys of a batch',
    of: 'keys',
    sizes: [1, 10, 100, 1000, 10_000, 100_000],
    contenders: [
      {
        name: '`createBatcher`',
        prepare(size) {
          const keys = keysOf(size);
          const batcher = createBatcher<string, number>(
            async (some) => some.map((key) => key.length),
            { maxBatchSize: size, maxQueued: size },
          );
          return { work: () => Promise.all(keys.map((key) => batcher.load(key))) };
        },
      },
    ],
  },
];
