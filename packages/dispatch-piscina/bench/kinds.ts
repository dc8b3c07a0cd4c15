import { markedKind, type PoolKind } from '@ticketing/dispatch/bench/pools';
import { createPiscinaDispatcher, type PiscinaOptions } from '@ticketing/dispatch-piscina';
import { peers, piscinas } from './peers.ts';
import { rawThread } from './raw-thread.ts';
import type { Tasks } from './tasks.ts';

export const tasksUrl: URL = new URL('./tasks.ts', import.meta.url);

/** Returns a dispatcher as a contender, which runs any task by its name. */
export function dispatcherKind(name: string, options: PiscinaOptions = {}): PoolKind {
  return {
    name,
    async create(workers) {
      const dispatcher = createPiscinaDispatcher<Tasks>(tasksUrl, { ...options, max: workers });
      await dispatcher.ready();
      return {
        run: (task, input, transfer) =>
          dispatcher.run(task as 'echo', input, transfer && { transfer }),
        close: () => dispatcher.close(),
      };
    },
  };
}

const dispatcher = dispatcherKind('piscina dispatcher');

/** Contenders, the dispatcher first. */
export const kinds: readonly PoolKind[] = [
  dispatcher,
  markedKind(dispatcher),
  ...piscinas,
  ...peers,
  rawThread,
];
