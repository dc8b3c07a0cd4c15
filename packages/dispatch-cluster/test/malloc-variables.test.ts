import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';

checkClustersAfterEach();

const KEPT = { MALLOC_TRIM_THRESHOLD_: '67108864', MALLOC_MMAP_THRESHOLD_: '33554432' };

test.skipIf(process.platform !== 'linux').each([
  ['with them', {}, KEPT],
  ['with its own', { MALLOC_ARENA_MAX: '2' }, { MALLOC_ARENA_MAX: '2' }],
])('a worker is started %s', async (_, own, expected) => {
  const supervisor = start({ env: { ...process.env, ...own } });
  await supervisor.ready();
  const [worker] = supervisor.workers;
  const variables = readFileSync(`/proc/${worker?.pid}/environ`, 'utf8').split('\0');
  const ofMalloc = variables.filter((each) => each.startsWith('MALLOC_'));
  expect(ofMalloc.sort()).toEqual(
    Object.entries(expected)
      .map((pair) => pair.join('='))
      .sort(),
  );
});
