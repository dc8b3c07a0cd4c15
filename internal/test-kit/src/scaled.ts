/**
 * Returns `fast` in the fast loop (`npm test`), `full` in the long half (`pnpm test:full`), for how many cases or rounds a test
 * has. Files that use it are named `*.scaled.test.ts`, by which the long half finds them: both halves run them.
 * `TEST_SCALE=full` sets the scale of any other run of Vitest.
 * @throws RangeError if `TEST_SCALE` is something else
 * @example fc.assert(property, { numRuns: scaled({ fast: 40, full: 1000 }) });
 */
export function scaled<T>({ fast, full }: { readonly fast: T; readonly full: T }): T {
  return isFullScale() ? full : fast;
}

/**
 * Returns true in the long half, for tests that a file of both halves has there alone: `test.runIf(isFullScale())`.
 * @throws RangeError if `TEST_SCALE` is neither `fast` nor `full`
 */
export function isFullScale(): boolean {
  const scale = process.env['TEST_SCALE'] ?? 'fast';
  if (scale === 'fast' || scale === 'full') return scale === 'full';
  throw new RangeError(`TEST_SCALE must be \`fast\` or \`full\`, got \`${scale}\``);
}
