import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mallocVariables } from '../src/source/malloc-variables.ts';
import { openRouter } from './router-fixture.ts';

const KEPT = { MALLOC_TRIM_THRESHOLD_: '67108864', MALLOC_MMAP_THRESHOLD_: '33554432' };

test('mallocVariables() adds to an environment that says nothing of malloc', () => {
  expect(mallocVariables({ PATH: '/bin', MALLOCS: '1' })).toEqual(KEPT);
});

test.each(['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'GLIBC_TUNABLES'])(
  'mallocVariables() leaves an environment alone that has %s',
  (name) => expect(mallocVariables({ [name]: '' })).toEqual({}),
);

test.skipIf(process.platform !== 'linux')('workers are started with them', async () => {
  const { pids } = await openRouter({ own: true, count: 1 });
  for (const pid of pids()) {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    for (const [name, value] of Object.entries(KEPT))
      expect(variables).toContain(`${name}=${value}`);
  }
});
