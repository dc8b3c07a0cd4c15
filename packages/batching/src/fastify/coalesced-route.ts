import type { FastifyRequest } from 'fastify';
import type { ResolvedRouteCoalesceOptions } from './route-coalesce-options.ts';

/** Most names of headers that are learned from the answers of one route. */
const MAX_LEARNED = 16;

/** A route that takes part. */
export interface CoalescedRoute extends ResolvedRouteCoalesceOptions {
  /** Tells it from the plugin's other routes: two may have one URL, by host or version. */
  readonly id: number;
  /** Request headers that `Vary` of its answers named: what differs in them is asked apart from then on. */
  readonly learned: Set<string>;
}

/** Adds what an answer depends on to the keys of the route's further requests. */
export function learnVary(route: CoalescedRoute, names: Iterable<string>): void {
  for (const name of names) if (route.learned.size < MAX_LEARNED) route.learned.add(name);
}

/** The header as the handler sees it. */
export function requestHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
