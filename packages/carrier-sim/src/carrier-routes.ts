import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { CarrierSimId } from './carrier-sim-id.ts';
import { deliver } from './deliver.ts';
import { drawFault } from './draw-fault.ts';
import { drawLatency } from './draw-latency.ts';
import type { Plan } from './plan.ts';
import { createRandom } from './random.ts';
import type { RequestLog } from './request-log.ts';
import type { Wire, WireRequest } from './wire.ts';

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
