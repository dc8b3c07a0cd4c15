import { describe, expect, test, vi } from 'vitest';
import { worms } from '../../src/worms/worm.ts';
import { signal, storeOf, stores } from '../worm-stores-cases.ts';

describe.each(stores)('$kind $absent', ({ absent, keeps, database }) => {
  const it = test.skipIf(absent !== '');

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

  it('close() ends at once, may be called again, and is followed by refusals', async () => {
    const store = await storeOf(await database(), { count: 10 });
    await store.find('utilize', { signal });
    await Promise.all([store.close(), store.close()]);
    await expect(store.find('utilize', { signal })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_DATABASE_UNAVAILABLE' }),
    );
  });

  it('is filled in batches, which are reported', async () => {
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
