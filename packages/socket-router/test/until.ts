import { setTimeout } from 'node:timers/promises';

/** Resolves when something is so of which there is no event. The test's own timeout bounds it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(2);
}
