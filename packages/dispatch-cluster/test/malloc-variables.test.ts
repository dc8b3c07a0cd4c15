import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mallocVariables } from '../src/malloc-variables.ts';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';

checkClustersAfterEach();

const KEPT = { MALLOC_TRIM_THRESHOLD_: '67108864', MALLOC_MMAP_THRESHOLD_: '33554432' };

test('mallocVariables() adds to an environment that says nothing of malloc', () => {
  expect(mallocVariables({ PATH: '/bin', MALLOCS: '1' })).toEqual(KEPT);
});

test.each(['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'GLIBC_TUNABLES'])(
  'mallocVariables() leaves an environment alone that has %s',
  (name) => expect(mallocVariables({ [name]: '' })).toEqual({}),
);

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
