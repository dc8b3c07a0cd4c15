import { conformanceCases } from '@ticketing/dispatch/testing';
import { test } from 'vitest';
import { createPiscinaDispatcher } from '../src/index.ts';

const execArgv = ['--conditions=@ticketing/source'];

const cases = conformanceCases({
  kind: 'piscina',
  capabilities: { isolation: 'thread', hardKill: true, transfer: true },
  reclaims: true,
  create: (module, options) => createPiscinaDispatcher(module, { execArgv, ...options }),
  createWithSmallHeap: (module, options) =>
    createPiscinaDispatcher(module, {
      execArgv,
      ...options,
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    }),
});

/** What `npm test` runs. The others are the kernel's alone, whatever its workers are. */
const SHORT = new Set([
  'start',
  'kill',
  'loss',
  'values',
  'copies',
  'transfer',
  'errors',
  'timeouts',
  'map',
  'map ends',
  'close',
  'options',
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
