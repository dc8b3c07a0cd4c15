import { conformanceCases, splitCases } from '@ticketing/dispatch-conformance';
import { scaled } from '@ticketing/test-kit';
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

/** Cases of `npm test`: start and ends of a process, and one of each kind of value and frame. */
const { chosen } = splitCases(all, [
  'start: with min 0 there is no worker',
  'kill: a stopped process',
  'loss: SIGKILL',
  'values: values of each kind arrive as they are, all at once',
  'errors: name',
  'streams: items come',
  'streams: a worker that is lost mid-stream',
  'close: close() waits until a worker',
]);

for (const { name, skip, run } of scaled({ fast: chosen, full: all })) {
  const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
  test(title, { skip: skip !== undefined }, run);
}
