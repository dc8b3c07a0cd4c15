import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { CarrierSimId } from '../timetable/lines.ts';
import { createRandom, type Random } from '../timetable/random.ts';
import type { Wire, WireRequest } from '../wire.ts';
import { deliver } from './deliver.ts';
import type { Fault, FaultKind, Latency, Plan } from './plan.ts';
import type { RequestLog } from './request-log.ts';

/** One carrier on a server. */
export interface CarrierRoutes {
  readonly carrier: CarrierSimId;
  readonly wire: Wire;
  readonly seed: string;
  readonly log: RequestLog;
  /** The plan of the moment. */
  plan(): Plan;
}

/** Adds a carrier's calls under its prefix; each is counted, waits its latency and meets its fault. */
export function addCarrierRoutes(app: FastifyInstance, routes: CarrierRoutes): void {
  const { carrier, wire, seed, log, plan } = routes;
  const latencies = createRandom(`${seed}/${carrier}/latencies`);
  const faults = createRandom(`${seed}/${carrier}/faults`);
  for (const call of wire.calls) {
    app.route({
      method: call.method,
      url: `/${carrier}${call.path}`,
      onRequest: async (_request, reply) => log.arrive(carrier, reply.raw),
      handler: async (request, reply) => {
        const client = new AbortController();
        reply.raw.once('close', () => client.abort());
        const { latency, fault: planned } = plan();
        const fault = drawFault({ fault: planned, search: call.search ?? false, random: faults });
        try {
          const ms = drawLatency(latency, latencies);
          if (ms > 0) await wait(ms, undefined, { signal: client.signal });
          const answer = () => call.answer(wireRequest(request));
          await deliver({ reply, wire, fault, answer, gone: client.signal });
        } catch (error) {
          if (!client.signal.aborted) throw error;
          reply.hijack();
        }
        return reply;
      },
    });
  }
}

function wireRequest({
  params,
  headers,
  body,
}: {
  params: unknown;
  headers: WireRequest['headers'];
  body: unknown;
}): WireRequest {
  const text = typeof body === 'string' ? body : '';
  return { params: params as WireRequest['params'], headers, body: text };
}

const searchOnly: readonly FaultKind[] = ['truncated', 'malformed-price', 'throttled'];

/** A fault plan, and the call that it may strike. */
interface FaultDraw {
  readonly fault: Fault | null;
  /** Whether the call is the one that answers the search. */
  readonly search: boolean;
  readonly random: Random;
}

/** Draws whether a call fails, and how; calls that the fault cannot strike draw nothing. */
function drawFault({ fault, search, random }: FaultDraw): Fault | null {
  if (!fault || (!search && searchOnly.includes(fault.kind))) return null;
  return random.next() < fault.share ? fault : null;
}

const longestMs = 600_000;

/** The standard normal value that 99 of 100 draws stay below. */
const z99 = 2.3263478740408408;

/** Draws how long the next call takes, in milliseconds. */
export function drawLatency(latency: Latency, random: Random): number {
  switch (latency.kind) {
    case 'fixed':
      return latency.ms;
    case 'random':
      return random.below(1000);
    case 'lognormal': {
      const { p50Ms, p99Ms } = latency;
      // A normal value from two uniform ones: the transform of Box and Muller.
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      const normal = radius * Math.cos(2 * Math.PI * random.next());
      return Math.min(longestMs, p50Ms * (p99Ms / p50Ms) ** (normal / z99));
    }
  }
}
