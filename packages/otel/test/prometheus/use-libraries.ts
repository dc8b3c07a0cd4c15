import { createAdmission } from '@ticketing/admission';
import { createBatcher, createCoalescer } from '@ticketing/batching';
import { createMemoryCoordinator, shareLoads } from '@ticketing/batching/shared';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import { createScatter, createSearch } from '@ticketing/core';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { createGuard, type Guard } from '@ticketing/resilience';
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

  const guards = await useGuards();

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
    guards: guards.map((guard) => guard.stats()),
    routers: [router.stats()],
    admissions: [admission.stats()],
  });
}

/** Uses each part of a guard: a retry, a hedge, a circuit that opens, a refusal; and the pause of another one. */
async function useGuards(): Promise<readonly Guard[]> {
  const guard = createGuard({
    name: 'renfe',
    concurrency: { limit: 8 },
    circuit: { windowCalls: 2, minCalls: 2, failureShare: 1, openMs: 60_000 },
    retry: { maxAttempts: 2, baseMs: 0 },
    hedge: { minMs: 0, minSamples: 1 },
  });
  // Its clock stands still, so that two readings of its pause are equal.
  const paused = createGuard({ name: 'ouigo', now: () => 1_000_000 });
  onTestFinished(async () => {
    await guard.close();
    await paused.close();
  });
  const failing = (): Promise<never> => Promise.reject(new Error('no'));
  await guard.run(({ kind }) => (kind === 'first' ? failing() : 1));
  // Its first attempt ends only when the hedge has won.
  await guard.run(({ kind, signal }) => {
    if (kind === 'hedge') return 1;
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  await guard.run(failing).catch(() => {});
  await guard.run(failing).catch(() => {});
  const throttled = Object.assign(new Error('no'), { status: 429, retryAfterMs: 60_000 });
  await paused.run(() => Promise.reject(throttled)).catch(() => {});
  return [guard, paused];
}
