import type { FastifyInstance, FastifyReply } from 'fastify';
import { describeValue } from '../describe-value.ts';
import { type CarrierSimId, carrierSimIds, isCarrierSimId } from '../timetable/lines.ts';
import type { Plan } from './plan.ts';
import type { RequestCounts } from './request-log.ts';

/** What the control routes steer. */
export interface Controls {
  plan(carrier: CarrierSimId): Plan;
  setPlan(carrier: CarrierSimId, patch: unknown): Plan;
  requests(): Record<CarrierSimId, RequestCounts>;
}

/** Adds the routes that read and change the plans and read the counts; they have no latency and no faults. */
export function addControlRoutes(app: FastifyInstance, controls: Controls): void {
  app.get('/plan', async () =>
    Object.fromEntries(carrierSimIds.map((carrier) => [carrier, controls.plan(carrier)])),
  );
  app.get<{ Params: { carrier: string } }>('/plan/:carrier', async ({ params }, reply) =>
    isCarrierSimId(params.carrier) ? controls.plan(params.carrier) : unknown(reply, params.carrier),
  );
  app.put<{ Params: { carrier: string } }>('/plan/:carrier', async ({ params, body }, reply) => {
    if (!isCarrierSimId(params.carrier)) return unknown(reply, params.carrier);
    try {
      return controls.setPlan(params.carrier, readBody(body));
    } catch (error) {
      const { message } = error as Error;
      return reply.code(400).send({ code: 'ERR_BAD_PLAN', message });
    }
  });
  app.get('/requests', async () => controls.requests());
}

function unknown(reply: FastifyReply, carrier: string): FastifyReply {
  const message = `Cannot find plan: expected one of ${carrierSimIds.join(', ')}, got ${describeValue(carrier)}`;
  return reply.code(404).send({ code: 'ERR_UNKNOWN_CARRIER', message });
}

/** A body that is not JSON is handed on as the text that it is, for the plan's own complaint. */
function readBody(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return body;
  }
}
