import type { Expectation } from '../expectation.ts';

/**
 * The text that stands for a seed.
 *
 * @throws TypeError when it is neither a string nor a finite number.
 */
export function resolveSeed(seed: unknown, expect: Expectation): string {
  if (typeof seed === 'string' || Number.isFinite(seed)) return String(seed);
  return expect.fail('seed to be a string or a finite number', seed);
}
