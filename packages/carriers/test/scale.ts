import { scaled } from '@ticketing/test-kit';

/** Returns how often a property is tried: `full` times in the long half, a 50th as often in the fast loop. */
export const runs = (full: number): number => scaled({ fast: Math.ceil(full / 50), full });
