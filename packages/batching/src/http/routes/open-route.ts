import type { CoalescerStats } from '../../coalescer/coalescer.ts';
import type { SharedRoute } from './enter-route.ts';
import { coalescedRoute } from './route-key.ts';
import {
  type CoalesceRouteOptions,
  type ResolvedCoalesceRouteOptions,
  resolveCoalesceRouteOptions,
} from './route-options.ts';
import { createSharedRuns } from './shared-runs.ts';

/** Requests in flight of a coalesced route. */
export interface RouteCoalescer {
  /** Counters: a request of the route is asked, and joined or loaded. */
  stats(): CoalescerStats;
  /** Ends the requests in flight with 503. Call it once the server has closed. */
  close(): Promise<void>;
}

/** A coalesced route with a coalescer of its own. */
interface OpenRoute<R> extends SharedRoute, ResolvedCoalesceRouteOptions<R> {}

/**
 * Opens a route by the options of `coalesceRoute`.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 */
export function openRoute<R>(given: CoalesceRouteOptions<R>): OpenRoute<R> {
  const options = resolveCoalesceRouteOptions(given);
  const sharedRuns = createSharedRuns(options.coalescer);
  return { ...options, ...coalescedRoute(options, 0), sharedRuns };
}

/** Gives the middleware of a route the members by which its requests in flight are counted and ended. */
export function withCoalescer<M extends object>(
  middleware: M,
  { stats, close }: RouteCoalescer,
): M & RouteCoalescer {
  return Object.assign(middleware, { stats, close });
}
