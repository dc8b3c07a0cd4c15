import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readFlags } from '../src/flags/read-flags.ts';
import { CLASS_WORDS, worms } from '../src/worms/worm.ts';
import { openWorms, prepareWorms } from '../src/worms/worm-databases.ts';
import type { FillListener } from '../src/worms/worm-store.ts';
import { noPostgres, postgresDatabase } from './postgres.ts';

// One contract, held by every store.
const mongodb = process.env['TEST_MONGODB_URL'];
const noMongodb =
  mongodb === undefined ? '(skipped: needs TEST_MONGODB_URL, see scripts/with-mongodb.mjs)' : '';
const stores = [
  { kind: 'sqlite', absent: '', keeps: false, database: async () => undefined },
  { kind: 'postgres', absent: noPostgres, keeps: true, database: postgresDatabase },
  {
    kind: 'mongodb',
    absent: noMongodb,
    keeps: true,
    database: async () => `${mongodb}/test_${randomUUID()}`,
  },
] as const;

const signal = new AbortController().signal;

interface Wanted {
  readonly count?: number;
  readonly onFilled?: FillListener;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Fills a store and opens it, until the test ends. */
async function storeOf(
  databaseUrl: string | undefined,
  wanted: Wanted = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
) {
  const { count = 10_000, deadlineMs = 10_000, onFilled = () => {} } = wanted;
  const argv = ['--worms', String(count), '--deadline-ms', String(deadlineMs)];
  const env = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const { flags } = readFlags(argv, env);
  const prepared = await prepareWorms(flags, { count, onFilled, signal: wanted.signal ?? signal });
  atEnd(prepared.close);
  const store = await openWorms(prepared.location, flags);
  atEnd(store.close);
  return store;
}

describe.each(stores)('$kind $absent', ({ kind, absent, keeps, database }) => {
  const it = test.skipIf(absent !== '');
  const ends: (() => Promise<void>)[] = [];
  const atEnd = (end: () => Promise<void>): void => void ends.unshift(end);
  let opened: ReturnType<typeof storeOf> | undefined;
  /** A store of 10,000 documents for the tests that only ask it. */
  const filled = () => {
    opened ??= (async () => storeOf(await database(atEnd), {}, atEnd))();
    return opened;
  };
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it('gives the first ten documents of a class in the order of insertion, the same as every store', async () => {
    const store = await filled();
    const all = [...worms(1, 10_000)];
    for (const word of CLASS_WORDS.slice(0, 20)) {
      const expected = all.filter((worm) => worm.class === word).slice(0, 10);
      expect(expected).toHaveLength(10);
      const found = await store.find(word, { signal });
      // As text, since the order of the fields is a promise too.
      expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
    }
  });

  it('gives what there is if there are fewer, and none of a class that is unknown', async () => {
    const store = await storeOf(await database(), { count: 100 });
    const all = [...worms(1, 100)];
    for (const word of new Set(all.map((worm) => worm.class))) {
      const expected = all.filter((worm) => worm.class === word);
      expect(await store.find(word, { signal })).toEqual(expected);
    }
    const strange = ['UTILIZE', "' OR 1=1 --", '%', '_', '$ne', '{"$ne":null}', '🪱', '\\', ' '];
    for (const word of strange) expect(await store.find(word, { signal }), word).toEqual([]);
  });

  it('answers many at once', async () => {
    const store = await filled();
    const before = store.stats();
    const words = Array.from({ length: 200 }, (_, index) => CLASS_WORDS[index % 50] ?? '');
    const found = await Promise.all(words.map((word) => store.find(word, { signal })));
    expect(found.map((list) => [list.length, list[0]?.class])).toEqual(
      words.map((word) => [10, word]),
    );
    const { queries, ms } = store.stats();
    expect(store.stats()).toMatchObject({ kind, running: 0, errors: 0 });
    expect([queries - before.queries, ms.count - before.ms.count]).toEqual([200, 200]);
  });

  it('rejects at once with the reason of a caller who leaves, and answers the next', async () => {
    const store = await filled();
    const { queries: before } = store.stats();
    const reason = new Error('The client left');
    await expect(store.find('utilize', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (let round = 0; round < 20; round++) {
      const controller = new AbortController();
      const left = store.find('unknown', { signal: controller.signal });
      controller.abort(reason);
      await expect(left).rejects.toBe(reason);
      expect(await store.find('utilize', { signal })).toHaveLength(10);
    }
    expect(store.stats()).toMatchObject({ queries: before + 40, running: 0, errors: 0 });
  });

  it('close() ends at once, may be called again, and is followed by refusals', async () => {
    const store = await storeOf(await database(), { count: 10 });
    await store.find('utilize', { signal });
    await Promise.all([store.close(), store.close()]);
    await expect(store.find('utilize', { signal })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_DATABASE_UNAVAILABLE' }),
    );
  });

  it('is filled in batches, which are told of', async () => {
    const told: number[] = [];
    await storeOf(await database(), { count: 25_000, onFilled: ({ filled }) => told.push(filled) });
    expect(told).toEqual([10_000, 20_000, 25_000]);
  });

  it('an abort ends the filling', async () => {
    const controller = new AbortController();
    const reason = new Error('Stop');
    const onFilled = () => controller.abort(reason);
    const url = await database();
    await expect(
      storeOf(url, { count: 1_000_000, onFilled, signal: controller.signal }),
    ).rejects.toBe(reason);
    // What was half full is no hindrance.
    expect(await (await storeOf(url, { count: 1000 })).find('unknown', { signal })).toEqual([]);
  });

  // SQLite's file is a server's own.
  if (!keeps) return;
  it('keeps its documents; another count fills it anew', async () => {
    const url = await database();
    const onFilled = vi.fn();
    await storeOf(url, { count: 3000, onFilled });
    expect(onFilled).toHaveBeenCalledTimes(1);
    await storeOf(url, { count: 3000, onFilled });
    expect(onFilled).toHaveBeenCalledTimes(1);
    const store = await storeOf(url, { count: 100, onFilled });
    expect(onFilled).toHaveBeenCalledTimes(2);
    const [first] = worms(1, 1);
    expect(await store.find(first?.class ?? '', { signal })).toContainEqual(first);
    await storeOf(url, { count: 3000, onFilled });
    expect(onFilled).toHaveBeenCalledTimes(3);
  });
});
