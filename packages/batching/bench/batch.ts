import { deepEqual } from 'node:assert/strict';
import { createBatcher } from '@ticketing/batching';
import { DataLoader } from '@ticketing/batching/dataloader';
import { type Measured, measureRounds } from '@ticketing/bench-kit';
import { create as createBatshit } from '@yornaath/batshit';
import NpmDataLoader from 'dataloader';

/** Loads keys, each time by a loader that has seen none of them. */
interface BatchContender {
  readonly name: string;
  /** Whether it can be asked for one key twice. */
  readonly duplicates: boolean;
  run(keys: readonly string[]): Promise<readonly number[]>;
}

/**
 * Keys that a contender asks for between two readings of the clock, at least. Of fewer, most turns have no collection of
 * garbage, and a median of them leaves out what a contender's garbage costs.
 */
const KEYS_A_TURN = 50_000;

let keysLoaded = 0;

async function load(keys: readonly string[]): Promise<number[]> {
  keysLoaded += keys.length;
  return keys.map((key) => key.length);
}

/** Each sends one batch: `dataloader` has no limit by default, so the batchers are given none. */
const contenders: readonly BatchContender[] = [
  {
    name: 'dataloader 2.2.3, its cache on',
    duplicates: true,
    run: (keys) => loadEach(new NpmDataLoader(load), keys),
  },
  {
    name: 'createBatcher',
    duplicates: true,
    run: (keys) => loadEach(batcher({}), keys),
  },
  {
    name: 'createBatcher, distinct',
    duplicates: false,
    run: (keys) => loadEach(batcher({ distinct: true }), keys),
  },
  {
    name: 'createBatcher, cache',
    duplicates: true,
    run: (keys) => loadEach(batcher({ cache: true }), keys),
  },
  {
    name: 'DataLoader of this package, its cache on',
    duplicates: true,
    run: (keys) => loadEach(new DataLoader(load), keys),
  },
  { name: '@yornaath/batshit 0.14', duplicates: true, run: loadByBatshit },
];

/**
 * Measures batch loaders on distinct keys, and on keys asked for ten times each. Their answers and the number
 * of keys that reach the loader are proved equal first. Ratio: the time of `dataloader` by that of the row.
 */
export async function benchBatch(
  rounds: number,
): Promise<{ title: string; measured: Measured[] }[]> {
  const cases: { title: string; measured: Measured[] }[] = [];
  for (const count of [1000, 10_000, 100_000]) {
    cases.push(await measureCase(`${count.toLocaleString('en')} keys`, stops(count), 1, rounds));
  }
  for (const count of [1000, 10_000]) {
    const title = `${count.toLocaleString('en')} keys, ten times each`;
    cases.push(await measureCase(title, stops(count), 10, rounds));
  }
  return cases;
}

async function measureCase(
  title: string,
  distinct: readonly string[],
  times: number,
  rounds: number,
): Promise<{ title: string; measured: Measured[] }> {
  const keys = Array.from({ length: times }, () => distinct).flat();
  const able = contenders.filter(({ duplicates }) => duplicates || times === 1);
  const expected = keys.map((key) => key.length);
  for (const { name, run } of able) {
    keysLoaded = 0;
    deepEqual(await run(keys), expected, name);
    deepEqual(keysLoaded, distinct.length, name);
  }
  const measured = await measureRounds(
    able.map(({ name, run }) => ({ name, work: () => run(keys) })),
    { rounds, repeats: Math.max(1, KEYS_A_TURN / keys.length) },
  );
  return { title, measured: measured.map((each) => ({ ...each, ratio: 1 / each.ratio })) };
}

function loadEach(
  loader: { load(key: string): Promise<number> },
  keys: readonly string[],
): Promise<number[]> {
  return Promise.all(keys.map((key) => loader.load(key)));
}

function batcher(options: { distinct?: true; cache?: true }) {
  return createBatcher(load, {
    name: 'bench',
    maxBatchSize: Number.POSITIVE_INFINITY,
    ...options,
  });
}

/** Sent by hand, since its schedules are timers of a millisecond or more; its answers are found by a Map. */
function loadByBatshit(keys: readonly string[]): Promise<number[]> {
  const { fetch, next } = createBatshit<ReadonlyMap<string, number>, string, number>({
    fetcher: async (queries) => {
      const lengths = await load(queries);
      return new Map(queries.map((query, place) => [query, lengths[place] as number]));
    },
    resolver: (items, query) => items.get(query) as number,
    scheduler: () => 'never',
  });
  const answers = Promise.all(keys.map((key) => fetch(key)));
  void next();
  return answers;
}

function stops(count: number): string[] {
  return Array.from({ length: count }, (_, stop) => `stop-${stop}`);
}
