import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { type CoalescerOptions, createCoalescer } from '../src/index.ts';
import { holdLoads, settleJobs, stateOf } from './held-loads.ts';

function counting(
  options: Partial<CoalescerOptions<string, string>>,
  outcome?: (call: number) => string,
) {
  const clock = createManualClock();
  let calls = 0;
  const coalescer = createCoalescer<string, string>(
    async (key) => {
      calls += 1;
      return outcome ? outcome(calls) : `${key}${calls}`;
    },
    { name: 'test', clock, ...options },
  );
  return { clock, coalescer };
}

test('ttlMs keeps a value for so long, and gives the same promise', async () => {
  const { clock, coalescer } = counting({ ttlMs: 100 });
  expect(await coalescer.get('a')).toBe('a1');
  clock.advance(99);
  expect(coalescer.get('a')).toBe(coalescer.get('a'));
  expect(await coalescer.get('a')).toBe('a1');
  expect(coalescer.peek('a')).toEqual({ kind: 'value', value: 'a1', stale: false });
  clock.advance(1);
  expect(coalescer.peek('a')).toBeUndefined();
  expect(await coalescer.get('a')).toBe('a2');
  expect(coalescer.stats()).toMatchObject({ asked: 5, loaded: 2, hits: 3, joined: 0, kept: 1 });
});

test('ttlMs may be Infinity: a value is kept until it is forgotten', async () => {
  const { clock, coalescer } = counting({ ttlMs: Number.POSITIVE_INFINITY, jitter: 0.5 });
  await coalescer.get('a');
  clock.advance(2 ** 40);
  expect(await coalescer.get('a')).toBe('a1');
  coalescer.forget('a');
  expect(await coalescer.get('a')).toBe('a2');
});

test('ttlMs may be a function of value and key; nonsense and exceptions keep nothing', async () => {
  const lifetimes = { a: 10, b: Number.NaN, c: -5, d: 0 };
  const { clock, coalescer } = counting({
    ttlMs: (value, key) => {
      if (key === 'e') throw new Error('no');
      expect(value.startsWith(key)).toBe(true);
      return lifetimes[key as 'a'];
    },
  });
  await Promise.all([...'abcde'].map((key) => coalescer.get(key)));
  expect([...'abcde'].map((key) => coalescer.peek(key)?.kind)).toEqual([
    'value',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  clock.advance(10);
  expect(coalescer.peek('a')).toBeUndefined();
});

test('staleMs gives the old value while one load renews it', async () => {
  const { clock, coalescer } = counting({ ttlMs: 100, staleMs: 50 });
  await coalescer.get('a');
  clock.advance(120);
  expect(coalescer.peek('a')).toMatchObject({ stale: true });
  expect(await Promise.all([coalescer.get('a'), coalescer.get('a')])).toEqual(['a1', 'a1']);
  await settleJobs();
  expect(await coalescer.get('a')).toBe('a2');
  expect(coalescer.stats()).toMatchObject({ loaded: 2, hits: 3, staleHits: 2, joined: 0 });
  clock.advance(150);
  expect(await coalescer.get('a')).toBe('a3');
});

test.each<[string, Partial<CoalescerOptions<string, string>>, number]>([
  ['once a second', { staleMs: 60_000 }, 10],
  ['once a second with staleMs of a function', { staleMs: () => 60_000 }, 10],
  ['once in staleMs, if that is less', { staleMs: 500 }, 20],
  ['once in errorTtlMs', { staleMs: 60_000, errorTtlMs: 100 }, 100],
  ['at each call with errorTtlMs: 0', { staleMs: 60_000, errorTtlMs: 0 }, 1000],
])('a hot key asks a broken upstream %s', async (_, options, expected) => {
  const { clock, coalescer } = counting({ ttlMs: 1000, ...options }, (call) => {
    if (call > 1) throw new Error('down');
    return 'first';
  });
  await coalescer.get('a');
  clock.advance(1000);
  // 10 seconds with a call every 10 ms.
  const answers = new Map<string, number>();
  for (let call = 0; call < 1000; call += 1) {
    const answer = await coalescer.get('a').catch((error) => error.message);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    await settleJobs();
    clock.advance(10);
  }
  expect(coalescer.stats().loaded - 1).toBe(expected);
  const staleMs = Math.min(60_000, typeof options.staleMs === 'number' ? options.staleMs : 60_000);
  expect(answers.get('first')).toBe(Math.min(1000, staleMs / 10));
  expect(answers.get('down') ?? 0).toBe(1000 - Math.min(1000, staleMs / 10));
});

test('a renewal that fails keeps the stale value to its end, and is not tried again within errorTtlMs', async () => {
  const { clock, coalescer } = counting({ ttlMs: 100, staleMs: 1000, errorTtlMs: 30 }, (call) => {
    if (call > 1) throw new Error('down');
    return 'first';
  });
  await coalescer.get('a');
  clock.advance(150);
  expect(await coalescer.get('a')).toBe('first');
  await settleJobs();
  expect(await coalescer.get('a')).toBe('first');
  expect(coalescer.stats().loaded).toBe(2);
  clock.advance(31);
  expect(await coalescer.get('a')).toBe('first');
  await settleJobs();
  expect(coalescer.stats().loaded).toBe(3);
  clock.advance(1000);
  expect(await stateOf(coalescer.get('a'))).toMatchObject({ error: { message: 'down' } });
});

test('a value whose renewal failed is stale, in stats() and peek(), while errorTtlMs puts off the next renewal', async () => {
  const { clock, coalescer } = counting({ ttlMs: 50, staleMs: 5000 }, (call) => {
    if (call > 1) throw new Error('down');
    return 'first';
  });
  await coalescer.get('a');
  clock.advance(60);
  for (let call = 0; call < 10; call += 1) {
    expect(await coalescer.get('a')).toBe('first');
    await settleJobs();
    expect(coalescer.peek('a')).toEqual({ kind: 'value', value: 'first', stale: true });
  }
  expect(coalescer.stats()).toMatchObject({ loaded: 2, hits: 10, staleHits: 10, failed: 1 });
  clock.advance(999);
  await coalescer.get('a');
  expect(coalescer.stats()).toMatchObject({ loaded: 2, staleHits: 11 });
  clock.advance(1);
  await coalescer.get('a');
  expect(coalescer.stats()).toMatchObject({ loaded: 3, staleHits: 12 });
});

test('errorTtlMs lets one failure answer the herd, then a new load is tried', async () => {
  const { clock, coalescer } = counting({ errorTtlMs: 40 }, (call) => {
    throw new Error(`failure ${call}`);
  });
  for (let round = 0; round < 3; round++)
    await expect(coalescer.get('a')).rejects.toThrow('failure 1');
  expect(coalescer.peek('a')).toMatchObject({ kind: 'error', error: { message: 'failure 1' } });
  expect(coalescer.stats()).toMatchObject({ loaded: 1, errorHits: 2 });
  clock.advance(40);
  await expect(coalescer.get('a')).rejects.toThrow('failure 2');
});

test('a renewal that is not to be kept takes the stale value away', async () => {
  const lifetimes = [100, 0];
  const { clock, coalescer } = counting({ ttlMs: () => lifetimes.shift() ?? 0, staleMs: 1000 });
  expect(await coalescer.get('a')).toBe('a1');
  clock.advance(120);
  expect(await coalescer.get('a')).toBe('a1');
  await settleJobs();
  expect(coalescer.has('a')).toBe(false);
  expect(await coalescer.get('a')).toBe('a3');
});

test('kept counts no failure without errorTtlMs, and no result whose time is over once it was asked for', async () => {
  const { clock, coalescer } = counting({ ttlMs: 100 }, (call) => {
    if (call === 1) throw new Error('down');
    return 'up';
  });
  await coalescer.get('a').catch(() => {});
  expect(coalescer.stats().kept).toBe(0);
  await coalescer.get('a');
  expect(coalescer.stats().kept).toBe(1);
  clock.advance(100);
  expect(coalescer.has('a')).toBe(false);
  expect(coalescer.stats().kept).toBe(0);
});

test('without errorTtlMs a failure is not kept, and ttlMs does not keep it', async () => {
  const { coalescer } = counting({ ttlMs: 1000 }, (call) => {
    if (call === 1) throw new Error('once');
    return 'well';
  });
  await expect(coalescer.get('a')).rejects.toThrow('once');
  expect(await coalescer.get('a')).toBe('well');
});

test('jitter shortens each lifetime by up to its share', async () => {
  let draw = 0;
  const { clock, coalescer } = counting({ ttlMs: 100, jitter: 0.5, random: () => draw });
  await coalescer.get('whole');
  draw = 0.8;
  await coalescer.get('short');
  clock.advance(60);
  expect([coalescer.peek('whole')?.kind, coalescer.peek('short')?.kind]).toEqual([
    'value',
    undefined,
  ]);
});

test('maxEntries bounds what is kept; the least recently used goes first', async () => {
  const { coalescer } = counting({ ttlMs: 1000, maxEntries: 2 });
  await coalescer.get('a');
  await coalescer.get('b');
  await coalescer.get('a');
  await coalescer.get('c');
  expect([...'abc'].map((key) => coalescer.peek(key)?.kind)).toEqual(['value', undefined, 'value']);
  expect(coalescer.stats().kept).toBe(2);
});

test('share applies to kept values too', async () => {
  const coalescer = createCoalescer(async () => ({ n: 1 }), {
    name: 'test',
    ttlMs: 1000,
    share: structuredClone,
  });
  const first = await coalescer.get('a');
  first.n = 2;
  expect(await coalescer.get('a')).toEqual({ n: 1 });
});

test('fresh passes by what is kept, for signals and timeouts as well', async () => {
  const { coalescer } = counting({ ttlMs: 1000 });
  await coalescer.get('a');
  const { signal } = new AbortController();
  expect(await coalescer.get('a', { signal, timeoutMs: 5 })).toBe('a1');
  expect(await coalescer.get('a', { fresh: true, signal })).toBe('a2');
  expect(await coalescer.get('a')).toBe('a2');
});

test('has() is true for what is kept, fresh, stale or failed, and starts no load', async () => {
  const { clock, coalescer } = counting({ ttlMs: 100, staleMs: 50, errorTtlMs: 30 }, (call) => {
    if (call > 1) throw new Error('down');
    return 'first';
  });
  await coalescer.get('a');
  expect(coalescer.has('a')).toBe(true);
  clock.advance(120);
  expect(coalescer.has('a')).toBe(true);
  clock.advance(30);
  expect(coalescer.has('a')).toBe(false);
  await expect(coalescer.get('a')).rejects.toThrow('down');
  expect(coalescer.has('a')).toBe(true);
  clock.advance(30);
  expect(coalescer.has('a')).toBe(false);
  expect(coalescer.stats()).toMatchObject({ asked: 2, loaded: 2, hits: 0, staleHits: 0 });
});

test('a stale value is given, and not renewed, while maxKeys loads are in flight', async () => {
  const clock = createManualClock();
  const { load, calls } = holdLoads<string>();
  const coalescer = createCoalescer(load, {
    name: 'test',
    clock,
    ttlMs: 100,
    staleMs: 50,
    maxKeys: 1,
  });
  const first = coalescer.get('a');
  calls[0]?.resolve('old');
  await first;
  clock.advance(120);
  void coalescer.get('b');
  expect(await coalescer.get('a')).toBe('old');
  expect(coalescer.stats()).toMatchObject({ loaded: 2, staleHits: 1, overflowed: 0 });
});

test('maxBytes bounds what is kept by its size; what is larger, or has no size, is not kept', async () => {
  const sizes: Record<string, number> = {
    a: 40,
    b: 50,
    c: 20,
    d: 101,
    e: Number.NaN,
    f: -1,
    g: 100,
  };
  const { coalescer } = counting({
    ttlMs: 1000,
    maxBytes: 100,
    sizeOf: (value, key) => {
      expect(value.startsWith(key)).toBe(true);
      if (key === 'h') throw new Error('no');
      return sizes[key] ?? 0;
    },
  });
  const kept = (): string => [...'abcdefgh'].filter((key) => coalescer.has(key)).join('');
  for (const key of 'ab') await coalescer.get(key);
  expect([kept(), coalescer.stats().keptBytes]).toEqual(['ab', 90]);
  await coalescer.get('a');
  await coalescer.get('c');
  expect([kept(), coalescer.stats().keptBytes]).toEqual(['ac', 60]);
  for (const key of 'defh') await coalescer.get(key);
  expect([kept(), coalescer.stats().keptBytes]).toEqual(['ac', 60]);
  await coalescer.get('g');
  expect([kept(), coalescer.stats().keptBytes]).toEqual(['g', 100]);
  coalescer.forget('g');
  expect(coalescer.stats()).toMatchObject({ kept: 0, keptBytes: 0 });
  await coalescer.get('a');
  coalescer.clear();
  expect(coalescer.stats()).toMatchObject({ kept: 0, keptBytes: 0 });
});

test('the size of a value that expired, or was renewed, no longer counts', async () => {
  let size = 10;
  const { clock, coalescer } = counting({
    ttlMs: 100,
    staleMs: 100,
    maxBytes: 100,
    sizeOf: () => size,
    tags: () => ['all'],
  });
  await coalescer.get('a');
  clock.advance(150);
  size = 30;
  await coalescer.get('a');
  await settleJobs();
  expect(coalescer.stats()).toMatchObject({ kept: 1, keptBytes: 30, tagEntries: 1 });
  clock.advance(200);
  expect(coalescer.has('a')).toBe(false);
  expect(coalescer.stats()).toMatchObject({ kept: 0, keptBytes: 0, tagEntries: 0 });
  await coalescer.get('a');
  expect(coalescer.forgetTag('all')).toBe(1);
  expect(coalescer.stats()).toMatchObject({ keptBytes: 0 });
});

test('staleMs may be a function of value and key', async () => {
  const { clock, coalescer } = counting({
    ttlMs: 100,
    staleMs: (value, key) => {
      expect(value).toBe(`${key}1`);
      return key === 'a' ? 20 : Number.NaN;
    },
  });
  await coalescer.get('a');
  clock.advance(119);
  expect(coalescer.peek('a')).toMatchObject({ stale: true });
  clock.advance(1);
  expect(coalescer.peek('a')).toBeUndefined();
});

test('renew passes by what is kept, which goes on answering others, also after a failure', async () => {
  const { load, calls } = holdLoads<string>();
  const clock = createManualClock();
  const coalescer = createCoalescer(load, { name: 'test', clock, ttlMs: 100, staleMs: 100 });
  const first = coalescer.get('a');
  calls[0]?.resolve('old');
  await first;
  const failing = [coalescer.get('a', { renew: true }), coalescer.get('a', { renew: true })];
  expect(calls).toHaveLength(2);
  expect(await coalescer.get('a')).toBe('old');
  calls[1]?.reject('down');
  expect(await Promise.all(failing.map(stateOf))).toEqual([{ error: 'down' }, { error: 'down' }]);
  expect(await coalescer.get('a')).toBe('old');
  const renewed = coalescer.get('a', { renew: true });
  calls[2]?.resolve('new');
  expect(await renewed).toBe('new');
  expect(await coalescer.get('a')).toBe('new');
  expect(coalescer.stats()).toMatchObject({ loaded: 3, joined: 1, hits: 3, staleHits: 0 });
});

test('renew passes by a kept failure', async () => {
  const { coalescer } = counting({ errorTtlMs: 100 }, (call) => {
    if (call === 1) throw new Error('down');
    return 'up';
  });
  await coalescer.get('a').catch(() => {});
  expect(await stateOf(coalescer.get('a'))).toMatchObject({ error: { message: 'down' } });
  expect(await coalescer.get('a', { renew: true })).toBe('up');
});
