import fc from 'fast-check';
import { it } from 'vitest';
import { runModel, steps } from '../fleet-model.ts';

it('the model of a fleet holds in 2,000 random runs', async () => {
  await fc.assert(fc.asyncProperty(steps, runModel), { numRuns: 2000 });
}, 600_000);
