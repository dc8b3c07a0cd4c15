import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { it } from 'vitest';
import { runModel, steps } from './fleet-model.ts';

it('calls are answered once, none is forgotten or runs twice without permission, and nothing is left, whatever happens', async () => {
  await fc.assert(fc.asyncProperty(steps, runModel), { numRuns: scaled({ fast: 15, full: 2000 }) });
}, 600_000);
