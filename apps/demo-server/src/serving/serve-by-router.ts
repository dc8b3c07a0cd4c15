import { createSocketRouter, type SocketRouter } from '@ticketing/socket-router';
import { affinityOf, routeBy } from './route-by.ts';
import { endMs, startServing, urlOf } from './server-processes.ts';
import type { ServeGiven, Serving } from './serving.ts';

/** Milliseconds for the router to meet the processes that serve. */
const READY_MS = 10_000;

/** This process accepts, and chooses by the request's head which process serves: it hands the socket over, or proxies. */
export async function serveByRouter(given: ServeGiven): Promise<Omit<Serving, 'carriersUrl'>> {
  const { flags, log } = given;
  const supervisor = startServing(given, {
    connections: 'external',
    address: flags,
    stats: () => ({ router: router.stats() }),
  });
  const route = routeBy(flags);
  const router: SocketRouter = createSocketRouter({
    mode: flags.accept === 'passthru' ? 'passthru' : 'socket',
    workers: supervisor,
    affinity: affinityOf(flags),
    // Equal searches are one search, however many ask: a crowd that asks the same is to stay together.
    balance: { loadFactor: flags.routeBy === 'search-key' ? Number.POSITIVE_INFINITY : 1.25 },
    protocol: flags.tlsCert === undefined ? 'http' : 'tls-sni',
    // Who waits longer for a process than a search may take is served too late.
    limits: { maxWaitMs: flags.deadlineMs },
    ...(route && { route }),
  });
  router.on('worker-stuck', ({ pid }) => log(`Serving process ${pid} takes no connections`));
  // With the router its supervisor ends.
  const close = (): Promise<void> => router.close({ graceMs: endMs(given) });
  try {
    const bound = await router.listen({ host: flags.host, port: flags.port });
    await supervisor.ready();
    await everyWorkerReady(router, flags.workers);
    return { url: urlOf(flags, bound), reload: () => supervisor.reload(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Until all are known to the router, it would choose among some: keys would move as the others come.
 *
 * @throws TimeoutError
 */
async function everyWorkerReady(router: SocketRouter, workers: number): Promise<void> {
  const signal = AbortSignal.timeout(READY_MS);
  const isReady = (): boolean =>
    router.stats().workers.filter(({ state }) => state === 'ready').length >= workers;
  while (!isReady()) {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        router.off('worker-ready', look);
        resolve();
      };
      router.on('worker-ready', look);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}
