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

/** Cases of `npm test`: ends of a process, and one of each kind of value and frame. The rest is in `test/full`. */
const { chosen, others } = splitCases(all, [
  'kill: a stopped process',
  'loss: SIGKILL',
  'values: values of each kind arrive as they are, all at once',
  'errors: name',
  'streams: items come',
  'streams: a worker that is lost mid-stream',
  'close: close() waits until a worker',
]);

/** Runs the cases of `npm test`, or all others. */
export function testConformance({ isShort }: { readonly isShort: boolean }): void {
  for (const { name, skip, run } of isShort ? chosen : others) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    test(title, { skip: skip !== undefined }, run);
  }
}
