import { type BucketCounter, createBucketCounts } from '@ticketing/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StatsOf } from '../figures/figure.ts';
import type { routes } from '../figures/figures.ts';

type CountAnswer = (status: number, ms: number) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts the answers of this route to a method. */
    counterFor?: (method: string) => CountAnswer | undefined;
  }
}

/**
 * Answers of one route, by method and status. `method`: as OpenTelemetry names them, `_OTHER` for one that is not known. `route`:
 * the template, such as `/api/v1/worms/:class`, or {@link UNMATCHED}. `latency`: from the head of the request until its answer was
 * handed to the system.
 */
export type RouteDurations = StatsOf<typeof routes.figures>;

/** Durations of answers. */
export interface DurationCounts {
  /** Knows the routes that a server adds after this call. */
  watch(app: FastifyInstance): void;
  /** Counts an answer that was handed to the system, in some tens of nanoseconds. */
  count(request: FastifyRequest, reply: FastifyReply): void;
  /** Returns a row for each route, method and status so far: no client can add more than there are. */
  rows(): readonly RouteDurations[];
}

const METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE QUERY'.split(' '),
);
/** The route of a path that no route has. */
export const UNMATCHED = 'unmatched';

/** Returns a method as a label; `_OTHER` for one that is not known. */
export function methodOf(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}

/** Creates the counts of one process. Requests that their clients gave up are not among them. */
export function createDurationCounts(): DurationCounts {
  const routes: { method: string; route: string; byStatus: Map<number, BucketCounter> }[] = [];

  function counterOf(method: string, route: string): CountAnswer {
    const known = routes.find((each) => each.method === method && each.route === route);
    const row = known ?? { method, route, byStatus: new Map<number, BucketCounter>() };
    if (known === undefined) routes.push(row);
    const { byStatus } = row;
    return (status, ms) => {
      let counter = byStatus.get(status);
      if (counter === undefined) {
        counter = createBucketCounts();
        byStatus.set(status, counter);
      }
      counter.add(ms);
    };
  }

  return {
    watch(app) {
      app.addHook('onRoute', (route) => {
        const counters = new Map(
          [route.method].flat().map((method) => [method, counterOf(method, route.url)]),
        );
        const [only] = counters.size === 1 ? counters.values() : [];
        const counterFor = only === undefined ? counters.get.bind(counters) : () => only;
        route.config = { ...route.config, counterFor };
      });
    },
    count(request, { statusCode, elapsedTime }) {
      const { method, routeConfig } = request;
      const counter = routeConfig?.counterFor?.(method) ?? counterOf(methodOf(method), UNMATCHED);
      counter(statusCode, elapsedTime);
    },
    rows: () =>
      routes.flatMap(({ method, route, byStatus }) =>
        [...byStatus].map(([status, counter]) => ({
          method,
          route,
          status,
          latency: counter.summary(),
        })),
      ),
  };
}
