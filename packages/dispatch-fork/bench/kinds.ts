import { markedKind, type PoolKind } from '@ticketing/dispatch/bench/pools';
import { createForkDispatcher, type ForkOptions } from '@ticketing/dispatch-fork';
import { peers } from './peers.ts';
import { rawFork } from './raw-fork.ts';
import type { Tasks } from './tasks.ts';

export const tasksUrl: URL = new URL('./tasks.ts', import.meta.url);

/** Returns a dispatcher as a contender, which runs any task by its name. */
export function dispatcherKind(name: string, options: ForkOptions = {}): PoolKind {
  return {
    name,
    async create(workers) {
      const dispatcher = createForkDispatcher<Tasks>(tasksUrl, { ...options, max: workers });
      await dispatcher.ready();
      return {
        run: (task, input) => dispatcher.run(task as 'echo', input),
        close: () => dispatcher.close(),
      };
    },
  };
}

export const raws: readonly PoolKind[] = [rawFork('json'), rawFork('advanced')];

const dispatcher = dispatcherKind('fork dispatcher');

/** Contenders, the dispatcher first. */
export const kinds: readonly PoolKind[] = [dispatcher, markedKind(dispatcher), ...peers, ...raws];
