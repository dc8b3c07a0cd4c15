import fc from 'fast-check';
import { test } from 'vitest';
import { holds } from './kernel-model-property.ts';
import { crowded, setting } from './kernel-model-steps.ts';

test.each([
  ['whatever happens', setting, 80],
  ['though calls move between workers', crowded, 40],
])(
  '%s, calls settle once, run as often as they may, and nothing is left',
  {
    timeout: 120_000,
  },
  async (_, settings, numRuns) => fc.assert(holds(settings), { numRuns }),
);
