import fc from 'fast-check';
import { test } from 'vitest';
import { KernelModel } from './kernel-model.ts';
import { setting, step } from './kernel-model-steps.ts';

test('whatever happens, calls settle once, run as often as they may, and nothing is left', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      setting,
      fc.array(step, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      async (given, steps, heals) => {
        const model = new KernelModel(given);
        for (const each of steps) {
          await model.apply(each);
          model.check();
          if (each.kind === 'turn') model.checkAtRest();
        }
        if (heals) await model.heal();
        await model.end();
      },
    ),
    { numRuns: 1500 },
  );
});
