import { conformanceCases, splitCases } from '@ticketing/dispatch-conformance';
import { test } from 'vitest';
import { createPiscinaDispatcher } from '../src/index.ts';

const execArgv = ['--conditions=@ticketing/source'];

const all = conformanceCases({
  kind: 'piscina',
  capabilities: { isolation: 'thread', hardKill: true, transfer: true, streams: true },
  reclaims: true,
  create: (module, options) => createPiscinaDispatcher(module, { execArgv, ...options }),
  createWithSmallHeap: (module, options) =>
    createPiscinaDispatcher(module, {
      execArgv,
      ...options,
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    }),
});

/** Cases of `npm test`: ends of a thread, moved values, and one of each kind of value and frame. The rest is in `test/full`. */
const { chosen, others } = splitCases(all, [
  'kill: a task in a loop',
  'loss: exit(1)',
  'values: values of each kind arrive as they are, all at once',
  'transfer:',
  'errors: name',
  'streams: items come',
  'close: close() ends a worker',
]);

/** Runs the cases of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of isShort ? chosen : others) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    test(title, { skip: skip !== undefined }, run);
  }
}
