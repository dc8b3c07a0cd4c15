import { expect, test } from 'vitest';
import { loadOnce } from '../src/processes/load-once.ts';

test('loadOnce() shares one load, also while it is under way', async () => {
  let loads = 0;
  const load = loadOnce(async () => ++loads);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test('loadOnce() tries again after a load that failed', async () => {
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error('EMFILE');
    return loads;
  });
  await expect(Promise.all([load(), load()])).rejects.toThrow('EMFILE');
  expect(await load()).toBe(2);
});
