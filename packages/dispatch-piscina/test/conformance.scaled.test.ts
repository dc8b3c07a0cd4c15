import { conformanceCases, splitCases } from '@ticketing/dispatch-conformance';
import { scaled } from '@ticketing/test-kit';
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

/** Cases of `npm test`: start and ends of a thread, moved values, and one of each kind of value and frame. */
const { chosen } = splitCases(all, [
  'start: with min 0 there is no worker',
  'kill: a task in a loop',
  'loss: exit(1)',
  'values: values of each kind arrive as they are, all at once',
  'transfer:',
  'errors: name',
  'streams: items come',
  'close: close() ends a worker',
]);

for (const { name, skip, run } of scaled({ fast: chosen, full: all })) {
  const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
  test(title, { skip: skip !== undefined }, run);
}
