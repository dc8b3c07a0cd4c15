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
  'start: a module that throws',
  'start: a worker that ends as it starts',
  'start: a missing file',
  'kill: a task that ignores its signal for',
  'kill: a task in a loop',
  'kill: a stopped process',
  'loss: exit(1)',
  'loss: SIGKILL',
  'loss: a worker without memory',
  'loss: a large answer',
  'loss: after SIGKILL',
  'held up: calls sent behind',
  'host: a worker whose memory',
  'recycle: a worker whose event loop',
  'values: values of each kind arrive as they are, all at once',
  'copies: a result',
  'errors: name',
  'progress: onProgress gets',
  'context: a task knows its call',
  'worker data: tasks and setup',
  'worker data: workerData that cannot',
  'worker data: TICKETING',
  'map: each outcome',
  'broadcast: with later a task that fails',
  'streams: items come',
  'streams: a task is never more',
  'streams: a consumer that leaves the',
  'streams: a worker that is lost mid-stream',
  'streams: an item that cannot',
  'transfer: capabilities',
  'transfer: transfer copies',
  'transfer: a port',
  'close: close() waits until a worker',
]);

/** The cases of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of isShort ? chosen : others) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    test(title, { skip: skip !== undefined }, run);
  }
}
