import fc from 'fast-check';
import { KernelModel } from './kernel-model.ts';
import { type Setting, type Step, step } from './kernel-model-steps.ts';

/** What holds whatever happens to pools of such settings. */
export function holds(
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
