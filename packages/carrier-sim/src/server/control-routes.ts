import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type CarrierSimId,
  carrierSimIds,
  isCarrier,
  wrongCarrier,
} from '../timetable/sim-carriers.ts';
import type { Plan } from './plan.ts';
import type { RequestCounts } from './request-log.ts';

/** What the control routes read and change. */
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
  app.get<PlanRoute>('/plan/:carrier', async ({ params: { carrier } }, reply) =>
    isCarrier(carrier) ? controls.plan(carrier) : unknown(reply, carrier),
  );
  app.put<PlanRoute>('/plan/:carrier', async ({ params: { carrier }, body }, reply) => {
    if (!isCarrier(carrier)) return unknown(reply, carrier);
    try {
      return controls.setPlan(carrier, readBody(body));
    } catch (error) {
      const { message } = error as Error;
      return reply.code(400).send({ code: 'ERR_BAD_PLAN', message });
    }
  });
  app.get('/requests', async () => controls.requests());
}

interface PlanRoute {
  Params: { carrier: string };
}

function unknown(reply: FastifyReply, carrier: string): FastifyReply {
  const { message } = wrongCarrier('find plan', carrier);
  return reply.code(404).send({ code: 'ERR_UNKNOWN_CARRIER', message });
}

/** Returns a body that is not JSON as its text, which `setPlan` then refuses. */
function readBody(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return body;
  }
}
