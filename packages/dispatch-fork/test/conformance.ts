import { conformanceCases } from '@ticketing/dispatch/testing';
import { test } from 'vitest';
import { createForkDispatcher } from '../src/index.ts';

const execArgv = ['--conditions=@ticketing/source'];

const cases = conformanceCases({
  kind: 'fork',
  capabilities: { isolation: 'process', hardKill: true, transfer: false },
  reclaims: true,
  create: (module, options) => createForkDispatcher(module, { execArgv, ...options }),
  createWithSmallHeap: (module, options) =>
    createForkDispatcher(module, {
      ...options,
      execArgv: [...execArgv, '--max-old-space-size=64'],
    }),
});

/** What `npm test` runs. The others are run by `npm test` on the workers of a cluster, which are processes too. */
const SHORT = new Set([
  'start',
  'kill',
  'loss',
  'values',
  'copies',
  'errors',
  'progress',
  'context',
  'recycle',
]);

/** The cases of the groups of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of cases) {
    const [group = ''] = name.split(':');
    if (SHORT.has(group) !== isShort) continue;
    test(
      skip === undefined ? name : `${name} (skipped: ${skip})`,
      { skip: skip !== undefined },
      run,
    );
  }
}
