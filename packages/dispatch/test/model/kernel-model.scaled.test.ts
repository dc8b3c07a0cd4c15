import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { test } from 'vitest';
import { KernelModel } from './kernel-model.ts';
import {
  busyStep,
  crowded,
  type Setting,
  type Step,
  setting,
  shared,
  step,
} from './kernel-model-steps.ts';

/** Properties of pools of such settings, whatever happens to them. */
function holds(
  settings: fc.Arbitrary<Setting>,
  oneStep: fc.Arbitrary<Step> = step,
): fc.IAsyncProperty<unknown> {
  const steps = fc.array(oneStep, { maxLength: 60, size: 'max' });
  return fc.asyncProperty(settings, steps, fc.boolean(), async (given, all, heals) => {
    const model = new KernelModel(given);
    for (const each of all) {
      await model.apply(each);
      model.check();
      if (each.kind === 'turn') model.checkAtRest();
    }
    if (heals) await model.heal();
    await model.end();
  });
}

test.each([
  ['whatever happens', setting, step, scaled({ fast: 25, full: 1500 })],
  ['though calls move between workers', crowded, step, scaled({ fast: 12, full: 1000 })],
  ['though workers have no room', shared, busyStep, scaled({ fast: 12, full: 1000 })],
])(
  '%s, calls settle once, run as often as they may, and nothing is left',
  {
    timeout: 600_000,
  },
  async (_, settings, steps, numRuns) => fc.assert(holds(settings, steps), { numRuns }),
);
