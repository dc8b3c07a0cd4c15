import fc from 'fast-check';
import { test } from 'vitest';
import { holds } from '../kernel-model-property.ts';
import { busyStep, crowded, setting, shared, step } from '../kernel-model-steps.ts';

test.each([
  ['whatever happens', setting, step, 1500],
  ['though calls move between workers', crowded, step, 1000],
  ['though workers have no room', shared, busyStep, 1000],
])(
  '%s, calls settle once, run as often as they may, and nothing is left',
  {
    timeout: 600_000,
  },
  async (_, settings, steps, numRuns) => fc.assert(holds(settings, steps), { numRuns }),
);
