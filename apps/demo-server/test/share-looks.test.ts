import { expect, test } from 'vitest';
import { shareLooks } from '../src/http/share-looks.ts';

/** A clock that moves by itself only while a look is made. */
function looking(takesMs: number) {
  let now = 0;
  let made = 0;
  const waiting: { readonly at: number; readonly callback: () => void }[] = [];
  const look = shareLooks(
    async () => {
      made += 1;
      now += takesMs;
      return made;
    },
    { now: () => now, later: (callback, ms) => void waiting.push({ at: now + ms, callback }) },
  );
  return {
    look,
    made: () => made,
    waits: () => waiting.map(({ at }) => at - now),
    async pass(ms: number) {
      now += ms;
      for (const one of waiting.splice(0)) {
        if (one.at <= now) one.callback();
        else waiting.push(one);
      }
      await Promise.resolve();
    },
  };
}

test('the first look is made at once', async () => {
  const { look, waits } = looking(5);
  expect(await look()).toBe(1);
  expect(waits()).toEqual([]);
});

test('callers before a look begins share it, and none gets one from before the question', async () => {
  const { look, made, pass, waits } = looking(5);
  await look();
  const later = Array.from({ length: 100 }, () => look());
  expect([made(), waits()]).toEqual([1, [20]]);
  await pass(19);
  expect(made()).toBe(1);
  await pass(1);
  expect(new Set(await Promise.all(later))).toEqual(new Set([2]));
  const next = look();
  await pass(20);
  expect(await next).toBe(3);
});

test('after a look that took long the next one waits for 100 ms from its begin, and no longer', async () => {
  const { look, waits } = looking(60);
  await look();
  void look();
  expect(waits()).toEqual([40]);
  const long = looking(3000);
  await long.look();
  expect(await long.look()).toBe(2);
});

test('a look that fails fails for its own waiters alone', async () => {
  let fails = true;
  const look = shareLooks(
    async () => {
      if (fails) throw new Error('no answer');
      return 'all';
    },
    { now: () => 0, later: (callback) => callback() },
  );
  await expect(look()).rejects.toThrow('no answer');
  fails = false;
  expect(await look()).toBe('all');
});
