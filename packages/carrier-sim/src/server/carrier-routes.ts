import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createRandom, type Random } from '../timetable/random.ts';
import type { CarrierSimId } from '../timetable/sim-carriers.ts';
import type { Wire, WireRequest } from '../wires/wire.ts';
import { deliver } from './deliver.ts';
import type { Fault, FaultKind, Latency, Plan } from './plan.ts';
import type { RequestLog } from './request-log.ts';

/** One carrier on a server. */
export interface CarrierRoutes {
  readonly carrier: CarrierSimId;
  readonly wire: Wire;
  readonly seed: string;
  readonly log: RequestLog;
  /** Returns the present plan. */
  plan(): Plan;
}

/** Adds a carrier's calls under its prefix: each is counted, waits for its latency and meets its fault. */
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
        const fault = drawFault(planned, call.search ?? false, faults);
        try {
          const ms = drawLatency(latency, latencies);
          if (ms > 0) await wait(ms, undefined, { signal: client.signal });
          const { params, headers, body } = request;
          const text = typeof body === 'string' ? body : '';
          const answer = () =>
            call.answer({ params: params as WireRequest['params'], headers, body: text });
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
