import { createAdmission } from '@ticketing/admission';
import { createBatcher, createCoalescer } from '@ticketing/batching';
import { createMemoryCoordinator, shareLoads } from '@ticketing/batching/shared';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import { createScatter, createSearch } from '@ticketing/core';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { createSocketRouter } from '@ticketing/socket-router';
import { onTestFinished } from 'vitest';
import type { LibraryStats } from '../../src/prometheus/index.ts';
import { searchQuery } from '../search-query.ts';

/** Uses one of each library, and returns a function that reads their statistics. */
export async function useLibraries(): Promise<
  () => Required<Omit<LibraryStats, 'clusters' | 'fleets'>>
> {
  const tasks = defineTasks({
    well: async () => 1,
    broken: async () => Promise.reject(new Error('no')),
    endless: (_: undefined, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const dispatcher = createInProcessDispatcher(tasks, { name: 'tasks' });
  const admission = createAdmission({ deadlineMs: 600_000, maxInFlight: 8 });
  onTestFinished(async () => {
    admission.close();
    await dispatcher.close();
  });
  await dispatcher.run('well', undefined);
  await dispatcher.run('broken', undefined).catch(() => {});
  const controller = new AbortController();
  const endless = dispatcher.run('endless', undefined, { signal: controller.signal });
  controller.abort();
  await endless.catch(() => {});

  const coordinator = createMemoryCoordinator({ name: 'memory' });
  onTestFinished(() => coordinator.close());
  const shared = shareLoads(async (key: string) => key, { coordinator, name: 'row' });
  const coalescer = createCoalescer(shared, { name: 'document', ttlMs: 600_000 });
  await Promise.all([coalescer.get('a'), coalescer.get('a'), coalescer.get('b')]);
  await coalescer.get('a');

  async function* open(key: string): AsyncGenerator<string> {
    yield key;
    yield key;
  }
  const streams = createStreamCoalescer(open, { name: 'prices' });
  const readAll = async (): Promise<void> => {
    for await (const _ of streams.follow('a'));
  };
  await Promise.all([readAll(), readAll()]);

  const batcher = createBatcher(async (keys: readonly string[]) => keys, { name: 'users' });
  await Promise.all([batcher.load('a'), batcher.load('a'), batcher.load('b')]);

  const carrier = {
    id: 'renfe',
    name: 'Renfe',
    request: async () => undefined,
    normalise: () => ({ journeys: [] }),
  };
  const search = createSearch({ carriers: [carrier], deadlineMs: 600_000 });
  await search.search(searchQuery());
  const sources = [{ id: 'shop', run: async () => 1 }];
  const scatter = createScatter({ name: 'prices', sources, deadlineMs: 600_000 });
  await scatter.ask('bread');

  const router = createSocketRouter({ workers: { subscribe: () => () => {} } as never });
  onTestFinished(() => router.close());
  return () => ({
    dispatchers: [dispatcher.stats()],
    coalescers: [coalescer.stats()],
    streamCoalescers: [streams.stats()],
    batchers: [batcher.stats()],
    sharedLoads: [shared.stats()],
    coordinators: [coordinator.stats()],
    searches: [search.stats()],
    scatters: { prices: scatter.stats() },
    carrierHttp: { renfe: { sent: 1, retried: 0, refused: 0 } },
    routers: [router.stats()],
    admissions: [admission.stats()],
  });
}
