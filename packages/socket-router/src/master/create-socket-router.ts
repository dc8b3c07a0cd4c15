import type { RouterOptions } from '../contract/router-options.ts';
import type { SocketRouter } from '../contract/socket-router.ts';
import { resolveRouterOptions } from '../options/resolve-router-options.ts';
import { Router } from './router.ts';

/**
 * Creates a router, and starts its workers; connections come with `listen`. A connection is in one place at a time:
 * a worker that does not take it loses it to another, and one that took it has it for good.
 *
 * @throws TypeError or RangeError for options that are unknown, wrong or out of range
 * @example
 * const router = createSocketRouter({ workers: forkWorkers(new URL('./worker.js', import.meta.url), 4) });
 * await router.listen({ port: 8080 });
 */
export function createSocketRouter(options: RouterOptions): SocketRouter {
  return new Router(resolveRouterOptions(options));
}
