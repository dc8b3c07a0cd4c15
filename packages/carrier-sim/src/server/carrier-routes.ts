import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import { createRandom, type Random } from '../timetable/random.ts';
import type { Answer, Wire, WireFaults, WireRequest } from '../wires/wire.ts';
import { deliver } from './deliver.ts';
import { askOwnCarrier, MAX_BODY_BYTES, type OwnCarrier, ownFaults } from './own-carriers.ts';
import type { Fault, FaultKind, Latency, Plan } from './plan.ts';
import type { RequestLog } from './request-log.ts';

/** One carrier on a server. */
export interface CarrierRoutes {
  readonly carrier: string;
  readonly seed: string;
  readonly log: RequestLog;
  /** Returns the present plan. */
  plan(): Plan;
}

/** Adds the calls of a wire under the prefix of its carrier: each is counted, waits for its latency and meets its fault. */
export function addWireRoutes(app: FastifyInstance, wire: Wire, routes: CarrierRoutes): void {
  const meet = createCalls(routes);
  for (const call of wire.calls) {
    app.route({
      method: call.method,
      url: `/${routes.carrier}${call.path}`,
      ...meet({ wire, isSearch: call.search ?? false }, ({ params, headers, body }) => {
        const text = body?.toString() ?? '';
        return call.answer({ params: params as WireRequest['params'], headers, body: text });
      }),
    });
  }
}

/** Adds a carrier of the user's own: every call under its prefix is a search, in the same way. */
export function addOwnRoutes(
  app: FastifyInstance,
  carrier: OwnCarrier,
  routes: CarrierRoutes,
): void {
  const { carrier: name, log } = routes;
  const prefix = `/${name}`;
  const served = createCalls(routes)({ wire: ownFaults, isSearch: true }, (request, signal) => {
    const { pathname, searchParams } = new URL(`http://carrier${request.raw.url}`);
    const bytes = request.body ?? Buffer.alloc(0);
    return askOwnCarrier(
      name,
      { carrier, onFailure: () => log.fail(name) },
      {
        method: request.method,
        path: pathname.slice(prefix.length) || '/',
        query: searchParams,
        headers: request.headers,
        body: bytes.toString(),
        bytes,
        signal,
      },
    );
  });
  for (const url of [prefix, `${prefix}/*`]) {
    app.route({ method: app.supportedMethods, url, bodyLimit: MAX_BODY_BYTES, ...served });
  }
}

interface Call extends RouteGenericInterface {
  Body: Buffer | undefined;
}

/** Returns what makes a route of an answer: counts, latency, fault. */
function createCalls({ carrier, seed, log, plan }: CarrierRoutes) {
  const latencies = createRandom(`${seed}/${carrier}/latencies`);
  const faults = createRandom(`${seed}/${carrier}/faults`);
  return (
    { wire, isSearch }: { readonly wire: WireFaults; readonly isSearch: boolean },
    answer: (request: FastifyRequest<Call>, gone: AbortSignal) => Answer | Promise<Answer>,
  ) => ({
    async onRequest(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
      log.arrive(carrier, reply.raw);
    },
    async handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const client = new AbortController();
      const { signal: gone } = client;
      reply.raw.once('close', () => client.abort());
      const { latency, fault: planned } = plan();
      const fault = drawFault(planned, isSearch, faults);
      try {
        const ms = drawLatency(latency, latencies);
        if (ms > 0) await wait(ms, undefined, { signal: gone });
        const call = request as FastifyRequest<Call>;
        await deliver({ reply, wire, fault, answer: () => answer(call, gone), gone });
      } catch (error) {
        if (!gone.aborted) throw error;
        reply.hijack();
      }
      return reply;
    },
  });
}

const searchOnly: readonly FaultKind[] = ['truncated', 'malformed-price', 'throttled'];

/** Draws whether a call meets the fault. Calls that it cannot strike draw nothing. */
function drawFault(fault: Fault | null, isSearch: boolean, random: Random): Fault | null {
  if (!fault || (!isSearch && searchOnly.includes(fault.kind))) return null;
  return random.next() < fault.share ? fault : null;
}

const longestMs = 600_000;

/** 99 of 100 draws are below this standard normal value. */
const z99 = 2.3263478740408408;

/** Draws the milliseconds that the next call takes. */
export function drawLatency(latency: Latency, random: Random): number {
  switch (latency.kind) {
    case 'fixed':
      return latency.ms;
    case 'random':
      return random.below(1000);
    case 'lognormal': {
      const { p50Ms, p99Ms } = latency;
      // The transform of Box and Muller: a normal value from two uniform ones.
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      const normal = radius * Math.cos(2 * Math.PI * random.next());
      return Math.min(longestMs, p50Ms * (p99Ms / p50Ms) ** (normal / z99));
    }
  }
}
