import type { RouteFunction } from '../contract/head.ts';
import type { HelloMessage } from '../wire/messages.ts';
import { type LaterRequests, oneRequestEach } from './later-requests.ts';
import type { LinkSetUp } from './router-link.ts';
import type { WatchedServer } from './watched-server.ts';

export interface LinkSetUpOptions {
  readonly watched: WatchedServer;
  readonly route: RouteFunction | undefined;
}

/**
 * Sets a worker up as a router's greeting asks.
 *
 * @throws TypeError for a server or options that cannot do that, or the platform's error when a path cannot be used
 */
export async function setUpLink(
  hello: HelloMessage,
  { watched, route }: LinkSetUpOptions,
): Promise<LinkSetUp> {
  const { pid, socketPath } = hello;
  const laterRequests = await createLaterRequests(hello, { watched, route });
  if (socketPath === undefined) return { laterRequests, workerSocket: undefined };
  const { server, arrivals } = watched;
  // Loaded on demand: docs/discoveries/bodies-cost-the-whole-heap.md
  const { openWorkerSocket } = await import('./worker-socket.ts');
  const workerSocket = await openWorkerSocket({
    path: socketPath,
    routerPid: pid,
    server,
    arrivals,
  });
  return { laterRequests, workerSocket };
}

async function createLaterRequests(
  hello: HelloMessage,
  { watched, route }: LinkSetUpOptions,
): Promise<LaterRequests> {
  const { laterRequests, slot, headBytes: answerHeadBytes, maxWaitMs } = hello;
  const { server, busy } = watched;
  if (laterRequests === 'connection') return {};
  if (laterRequests === 'close') return oneRequestEach(server);
  if (route === undefined) {
    throw new TypeError(
      'Cannot attach server: `route` must be a function with `laterRequests` forward, got undefined',
    );
  }
  const { Forwarding } = await import('./forwarding.ts');
  return new Forwarding(server, { route, slot, answerHeadBytes, maxWaitMs, busy });
}
