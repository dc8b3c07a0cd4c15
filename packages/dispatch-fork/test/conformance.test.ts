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

for (const { name, skip, run } of cases) {
  test(
    skip === undefined ? name : `${name} (skipped: ${skip})`,
    {
      skip: skip !== undefined,
      timeout: 20_000,
    },
    run,
  );
}
