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
