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

/** What `npm test` runs: what the end of a thread shows, what moves, and one of each kind of value and frame. The rest is in `test/full`. */
const { chosen, others } = splitCases(all, [
  'start: a worker that ends as it starts',
  'kill: a task in a loop',
  'loss: exit(1)',
  'loss: a large answer',
  'loss: after exit(1)',
  'loss: a worker that dies',
  'abort: abort of a task that was sent',
  'values: values of each kind arrive as they are, all at once',
  'copies: a result',
  'transfer:',
  'errors: name',
  'progress: onProgress gets',
  'context: a task knows its call',
  'worker data: tasks and setup',
  'worker data: workerData that cannot',
  'map: each outcome',
  'broadcast: with later a worker',
  'broadcast: a worker that takes',
  'streams: items come',
  'streams: a task that does not end',
  'streams: a worker that is lost before',
  'streams: close()',
  'map: ordered outcomes keep',
  'close: close() a few turns',
  'statistics: lost workers',
  'close: close() ends a worker',
  'close: close() waits until a worker',
]);

/** The cases of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of isShort ? chosen : others) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    test(title, { skip: skip !== undefined }, run);
  }
}
