import { setTimeout as sleep } from 'node:timers/promises';
import { burn } from '@ticketing/dispatch/bench/work';

/** Tasks that load nothing, so that a child forked for one starts as fast as Node does. */
export const lightTasks = {
  /** Only CPU. */
  burn: ({ steps }: { readonly steps: number }): number => burn(steps),
  /** Only waiting: the seed's stand-in for a call. */
  wait: async ({ ms }: { readonly ms: number }): Promise<number> => sleep(ms, ms),
};
