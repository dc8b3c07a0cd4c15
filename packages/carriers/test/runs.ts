import { expect } from 'vitest';

/** Whether this is one of the full tests, which run the others' files again and leave nothing out. */
const isFull: boolean = expect.getState().testPath?.includes('/test/full/') ?? false;

/** How often a property is tried: `count` times in the full tests, a tenth of it in the others. */
export function runs(count: number): number {
  return isFull ? count : Math.ceil(count / 10);
}
