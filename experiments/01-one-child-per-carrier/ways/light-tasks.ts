import { setTimeout as sleep } from 'node:timers/promises';
import { burn } from '@ticketing/dispatch/bench/work';

/** Tasks that need nothing loaded, so that a child that is forked for one starts as fast as Node does. */
export const lightTasks = {
  /** Nothing but CPU. */
  burn: ({ steps }: { readonly steps: number }): number => burn(steps),
  /** Nothing but waiting: what the seed's carriers did instead of a call. */
  wait: async ({ ms }: { readonly ms: number }): Promise<number> => sleep(ms, ms),
};
