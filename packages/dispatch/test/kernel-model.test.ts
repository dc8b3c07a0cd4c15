import fc from 'fast-check';
import { test } from 'vitest';
import { holds } from './kernel-model-property.ts';
import { busyStep, crowded, setting, shared, step } from './kernel-model-steps.ts';

test.each([
  ['whatever happens', setting, step, 80],
  ['though calls move between workers', crowded, step, 40],
  ['though workers have no room', shared, busyStep, 40],
])(
  '%s, calls settle once, run as often as they may, and nothing is left',
  {
    timeout: 120_000,
  },
  async (_, settings, steps, numRuns) => fc.assert(holds(settings, steps), { numRuns }),
);
