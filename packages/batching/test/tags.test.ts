import { createManualClock } from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';
import { coalesce, createCoalescer } from '../src/index.ts';
import { holdLoads, refuseUnhandledRejections, settleJobs, stateOf } from './held-loads.ts';

refuseUnhandledRejections();

/** A coalescer whose values are texts of tags, with a blank between them. */
function tagged(options: { readonly maxEntries?: number; readonly ttlMs?: number } = {}) {
  const clock = createManualClock();
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, {
    name: 'test',
    ttlMs: 1000,
    clock,
    tags: (value: string) => value.split(' '),
    ...options,
  });
  const get = async (key: string, value: string): Promise<string> => {
    const answer = coalescer.get(key);
    calls.at(-1)?.resolve(value);
    return await answer;
  };
  return { clock, calls, coalescer, get };
}

describe('kept results', () => {
  test('forgetTag() forgets those with the tag, and no others; it returns their number', async () => {
    const { coalescer, get } = tagged();
    await get('a', 'red green');
    await get('b', 'green');
    await get('c', 'blue');
    expect(coalescer.stats()).toMatchObject({ kept: 3, tags: 3, tagEntries: 4 });
    expect(coalescer.forgetTag('green')).toBe(2);
    expect(['a', 'b', 'c'].map((key) => coalescer.peek(key)?.kind)).toEqual([
      undefined,
      undefined,
      'value',
    ]);
    expect(coalescer.stats()).toMatchObject({ kept: 1, tags: 1, tagEntries: 1 });
    expect(coalescer.forgetTag('green')).toBe(0);
  });

  test('the index has no tags of results that were forgotten, replaced, evicted, or found expired', async () => {
    const { clock, coalescer, get } = tagged({ maxEntries: 2 });
    await get('a', 'red');
    await get('b', 'red');
    await get('c', 'green');
    expect(coalescer.stats()).toMatchObject({ kept: 2, tags: 2, tagEntries: 2 });
    coalescer.forget('c');
    expect(coalescer.stats()).toMatchObject({ kept: 1, tags: 1, tagEntries: 1 });
    clock.advance(1000);
    expect(coalescer.forgetTag('red')).toBe(0);
    expect(coalescer.stats()).toMatchObject({ kept: 0, tags: 0, tagEntries: 0 });
    await get('a', 'red green');
    clock.advance(1000);
    await get('a', 'blue');
    expect(coalescer.stats()).toMatchObject({ kept: 1, tags: 1, tagEntries: 1 });
    coalescer.clear();
    expect(coalescer.stats()).toMatchObject({ kept: 0, tags: 0, tagEntries: 0 });
  });

  test('a tag that a value has twice counts once', async () => {
    const { coalescer, get } = tagged();
    await get('a', 'red red');
    expect(coalescer.stats()).toMatchObject({ tags: 1, tagEntries: 1 });
    expect(coalescer.forgetTag('red')).toBe(1);
  });
});

describe('a load in flight', () => {
  test('whose tag is forgotten answers those who wait, is not kept, and later callers share one more', async () => {
    const { calls, coalescer } = tagged();
    const before = coalescer.get('a');
    expect(coalescer.forgetTag('red')).toBe(0);
    const after = [coalescer.get('a'), coalescer.get('a', { timeoutMs: 500 })];
    expect(coalescer.has('a')).toBe(false);
    expect(calls).toHaveLength(1);
    calls[0]?.resolve('red');
    expect(await before).toBe('red');
    await settleJobs();
    expect(calls).toHaveLength(2);
    expect(coalescer.stats()).toMatchObject({ kept: 0, outdated: 1, inFlight: 1 });
    calls[1]?.resolve('red again');
    expect(await Promise.all(after)).toEqual(['red again', 'red again']);
    expect(coalescer.peek('a')).toMatchObject({ value: 'red again' });
    expect(coalescer.stats()).toMatchObject({ asked: 3, led: 2, joined: 1, loaded: 2 });
  });

  test('whose value lacks the tag answers all, and is kept', async () => {
    const { calls, coalescer } = tagged();
    const before = coalescer.get('a');
    coalescer.forgetTag('red');
    const after = coalescer.get('a');
    calls[0]?.resolve('green');
    expect(await Promise.all([before, after])).toEqual(['green', 'green']);
    expect(calls).toHaveLength(1);
    expect(coalescer.stats()).toMatchObject({ kept: 1, outdated: 0, led: 1, joined: 1 });
  });

  test('that fails is not tried again for those who came after a forgetTag()', async () => {
    const { calls, coalescer } = tagged();
    const before = coalescer.get('a');
    coalescer.forgetTag('red');
    const after = coalescer.get('a');
    calls[0]?.reject(new Error('no'));
    await expect(before).rejects.toThrow('no');
    await expect(after).rejects.toThrow('no');
    expect(coalescer.stats()).toMatchObject({ asked: 2, led: 1, joined: 1, loaded: 1, failed: 1 });
  });

  test('is outdated without kept results, too', async () => {
    const { calls, coalescer } = tagged({ ttlMs: 0 });
    const before = coalescer.get('a');
    coalescer.forgetTag('red');
    const after = coalescer.get('a');
    calls[0]?.resolve('red');
    expect(await before).toBe('red');
    await settleJobs();
    calls[1]?.resolve('red again');
    expect(await after).toBe('red again');
    expect(coalescer.stats()).toMatchObject({ kept: 0, tags: 0 });
  });

  test('is left by a caller that came after a forgetTag(), by signal and at its own time', async () => {
    const { clock, calls, coalescer } = tagged();
    void coalescer.get('a');
    coalescer.forgetTag('red');
    const controller = new AbortController();
    const leaves = coalescer.get('a', { signal: controller.signal });
    const late = coalescer.get('a', { timeoutMs: 500 });
    controller.abort(new Error('left'));
    await expect(leaves).rejects.toThrow('left');
    clock.advance(400);
    calls[0]?.resolve('red');
    await settleJobs();
    expect(calls).toHaveLength(2);
    clock.advance(99);
    expect(await stateOf(late)).toBe('open');
    clock.advance(1);
    await expect(late).rejects.toMatchObject({ code: 'ERR_CALLER_TIMEOUT' });
    expect(calls[1]?.context.signal.aborted).toBe(true);
  });

  test('more tags than are remembered outdate it, whatever its tags', async () => {
    const { calls, coalescer } = tagged();
    void coalescer.get('a');
    coalescer.forgetTag('red');
    for (let number = 0; number < 10_000; number += 1) coalescer.forgetTag(`tag ${number}`);
    const after = coalescer.get('a');
    calls[0]?.resolve('blue');
    await settleJobs();
    expect(calls).toHaveLength(2);
    calls[1]?.resolve('green');
    expect(await after).toBe('green');
    expect(coalescer.stats()).toMatchObject({ outdated: 1, kept: 1 });
  });
});

describe('wrong use', () => {
  const limits = 'a list of at most 64 texts of 1 to 256 characters';
  test.each<[string, unknown, string]>([
    ['a text', 'red', 'got red'],
    ['nothing', undefined, 'got undefined'],
    ['a number among them', ['red', 7], 'got 7'],
    ['an empty text', [''], 'got one of 0 characters'],
    ['a long text', ['x'.repeat(257)], 'got one of 257 characters'],
    ['too many', Array.from({ length: 65 }, String), 'got 65 of them'],
  ])('tags that are %s fail the load, and nothing is kept', async (_, wrong, got) => {
    const coalescer = createCoalescer(async (key: string) => key, {
      name: 'test',
      ttlMs: 1000,
      tags: () => wrong as string[],
    });
    await expect(coalescer.get('a')).rejects.toMatchObject({
      name: 'BatchingError',
      code: 'ERR_WRONG_TAGS',
      statusCode: 500,
      message: `Cannot tag a value of \`test\`: \`tags\` must return ${limits}, ${got}`,
    });
    expect(coalescer.stats()).toMatchObject({ failed: 1, kept: 0, tags: 0 });
  });

  test('an exception of tags() fails the load', async () => {
    const tags = (): never => {
      throw new RangeError('no tags');
    };
    const coalescer = createCoalescer(async (key: string) => key, { ttlMs: 1000, tags });
    await expect(coalescer.get('a')).rejects.toThrow(new RangeError('no tags'));
  });

  test('forgetTag() refuses what is no tag, and a coalescer without tags', () => {
    const { coalescer } = tagged();
    expect(() => coalescer.forgetTag(7 as never)).toThrow(
      new TypeError(
        'Cannot forget a tag of `test`: `tag` must be a text of 1 to 256 characters, got 7',
      ),
    );
    expect(() => coalescer.forgetTag('')).toThrow(TypeError);
    expect(() => coalescer.forgetTag('x'.repeat(257))).toThrow(TypeError);
    const without = createCoalescer(async (key: string) => key, { name: 'test', ttlMs: 1000 });
    expect(() => without.forgetTag('red')).toThrow(
      new TypeError('Cannot forget a tag of `test`: it has no option `tags`'),
    );
    expect(() => createCoalescer(async () => 1, { tags: 'red' as never })).toThrow(
      'Cannot create coalescer: `tags` must be a function',
    );
    expect(() => createCoalescer(async () => 1, { references: () => [] } as never)).toThrow(
      'unknown option `references`; did you mean `tags`?',
    );
  });
});

test('coalesce() forgets by a tag of value and arguments, and has what a coalescer has', async () => {
  let calls = 0;
  const price = coalesce(async (train: string, day: number) => `${train} ${day} ${++calls}`, {
    ttlMs: 1000,
    tags: (value, [train]) => [`train:${train}`, value.slice(-1)],
  });
  const three = () => Promise.all([price('ice', 1), price('ice', 2), price('tgv', 1)]);
  expect(await three()).toEqual(['ice 1 1', 'ice 2 2', 'tgv 1 3']);
  expect(price.forgetTag('train:ice')).toBe(2);
  expect(price.peek('ice', 1)).toBeUndefined();
  expect(price.peek('tgv', 1)).toEqual({ kind: 'value', value: 'tgv 1 3', stale: false });
  expect(await three()).toEqual(['ice 1 4', 'ice 2 5', 'tgv 1 3']);
  price.clear();
  expect(price.stats()).toMatchObject({ kept: 0, tags: 0 });
  await price.close();
  await expect(price('ice', 1)).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});
