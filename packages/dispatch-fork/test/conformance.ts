import { conformanceCases, splitCases } from '@ticketing/dispatch-conformance';
import { test } from 'vitest';
import { createForkDispatcher } from '../src/index.ts';

const execArgv = ['--conditions=@ticketing/source'];

const all = conformanceCases({
  kind: 'fork',
  capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: true },
  reclaims: true,
  create: (module, options) => createForkDispatcher(module, { execArgv, ...options }),
  createWithSmallHeap: (module, options) =>
    createForkDispatcher(module, {
      ...options,
      execArgv: [...execArgv, '--max-old-space-size=64'],
    }),
});

/** What `npm test` runs: what the end of a process shows, and one of each kind of value and frame. The rest is in `test/full`. */
const { chosen, others } = splitCases(all, [
  'start: a missing file',
  'kill: a task that ignores its signal for',
  'kill: a stopped process',
  'loss: SIGKILL',
  'loss: a worker without memory',
  'loss: a large answer',
  'held up: calls sent behind',
  'values: values of each kind arrive as they are, all at once',
  'copies: a result',
  'errors: name',
  'context: a task knows its call',
  'worker data: tasks and setup',
  'map: each outcome',
  'streams: items come',
  'streams: a consumer that leaves the',
  'streams: a worker that is lost mid-stream',
  'transfer: transfer copies',
  'close: close() waits until a worker',
]);

/** The cases of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of isShort ? chosen : others) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    test(title, { skip: skip !== undefined }, run);
  }
}
