import { coalesceAsync as cacheableCoalesce } from '@cacheable/utils';
import { createCoalescer } from '@ticketing/batching';
import { create, windowScheduler } from '@yornaath/batshit';
import { createCache } from 'async-cache-dedupe';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import pMemoize from 'p-memoize';
import { coalesceAsync } from 'promise-coalesce';

export type Load = (key: string) => Promise<string>;

/** One way to share a load between equal keys. */
export interface Contender {
  readonly name: string;
  readonly create: (load: Load) => Load;
  /** Waits for a timer before it loads: fewer rounds will do. */
  readonly waits?: boolean;
}

/** The least that works: a Map and one shared promise, which leaves the map as it settles. */
function floor(load: Load): Load {
  const inFlight = new Map<string, Promise<string>>();
  return (key) => {
    const known = inFlight.get(key);
    if (known !== undefined) return known;
    const promise = load(key);
    inFlight.set(key, promise);
    const done = (): void => {
      inFlight.delete(key);
    };
    promise.then(done, done);
    return promise;
  };
}

/** The floor first: the others are told as ratios to it. Each keeps no result, as far as it lets itself. */
export const contenders: readonly Contender[] = [
  { name: 'floor: Map + shared promise', create: floor },
  {
    name: '**createCoalescer**',
    create: (load) => {
      const coalescer = createCoalescer(load, {
        name: 'bench',
        maxKeys: 1e7,
        maxWaitersPerKey: 1e9,
      });
      return (key) => coalescer.get(key);
    },
  },
  {
    name: 'async-cache-dedupe',
    create: (load) => {
      const cache = createCache({ ttl: 0 }).define('load', load) as unknown as { load: Load };
      return (key) => cache.load(key);
    },
  },
  { name: 'p-memoize', create: (load) => pMemoize(load, { cache: false }) },
  { name: 'promise-coalesce', create: (load) => (key) => coalesceAsync(key, () => load(key)) },
  {
    name: '@cacheable/utils',
    create: (load) => (key) => cacheableCoalesce(key, () => load(key)),
  },
  {
    name: 'lru-cache fetch',
    create: (load) => {
      const cache = new LRUCache<string, string>({ max: 1e5, fetchMethod: (key) => load(key) });
      return (key) => cache.fetch(key) as Promise<string>;
    },
  },
  {
    name: 'dataloader',
    create: (load) => {
      const loader = new DataLoader<string, string>((keys) => Promise.all(keys.map(load)));
      return (key) => {
        const promise = loader.load(key);
        return promise;
      };
    },
  },
  {
    name: 'batshit',
    waits: true,
    create: (load) => {
      const batcher = create<Record<string, string>, string, string>({
        fetcher: async (keys) =>
          Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await load(key)]))),
        resolver: (values, key) => values[key] as string,
        scheduler: windowScheduler(0),
      });
      return (key) => batcher.fetch(key);
    },
  },
];
