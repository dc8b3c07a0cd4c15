import { afterAll, describe, expect, test } from 'vitest';
import { CLASS_WORDS, worms } from '../src/worms/worm.ts';
import { signal, storeOf, stores } from './worm-stores-cases.ts';

// What a store with 10,000 documents answers; `test/full` has other stores, and how they are filled and closed.
describe.each(stores)('$kind $absent', ({ kind, absent, database }) => {
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
});
