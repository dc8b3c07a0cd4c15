import type { PoolKind } from '@ticketing/dispatch/bench/pools';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { peers, piscinas } from './peers.ts';
import { rawThread } from './raw-thread.ts';
import type { Tasks } from './tasks.ts';

export const tasksUrl: URL = new URL('./tasks.ts', import.meta.url);

/** As a pool: any task by its name. */
const dispatcher: PoolKind = {
  name: 'piscina dispatcher',
  async create(workers) {
    const dispatcher = createPiscinaDispatcher<Tasks>(tasksUrl, { max: workers });
    await dispatcher.ready();
    return {
      run: (task, input, transfer) =>
        dispatcher.run(task as 'echo', input, transfer && { transfer }),
      close: () => dispatcher.close(),
    };
  },
};

/** The dispatcher first. */
export const kinds: readonly PoolKind[] = [dispatcher, ...piscinas, ...peers, rawThread];
