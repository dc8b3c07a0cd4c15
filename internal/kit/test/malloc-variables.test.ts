import { expect, test } from 'vitest';
import { mallocVariables } from '../src/processes/malloc-variables.ts';

const KEPT = { MALLOC_TRIM_THRESHOLD_: '67108864', MALLOC_MMAP_THRESHOLD_: '33554432' };

test('mallocVariables() adds to an environment that says nothing of malloc', () => {
  expect(mallocVariables({ PATH: '/bin', MALLOCS: '1' })).toEqual(KEPT);
});

test.each(['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'GLIBC_TUNABLES'])(
  'mallocVariables() leaves an environment alone that has %s',
  (name) => expect(mallocVariables({ [name]: '' })).toEqual({}),
);
