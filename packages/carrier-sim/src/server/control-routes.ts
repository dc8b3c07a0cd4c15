import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Plan } from './plan.ts';
import type { RequestCounts } from './request-log.ts';

/** State that the control routes read and change. */
export interface Controls {
  /** The plans of all carriers as they are now. */
  readonly plans: ReadonlyMap<string, Plan>;
  setPlan(carrier: string, patch: unknown): Plan;
  /** Returns the error for an unknown carrier. */
  unknown(carrier: string): Error;
  requests(): Record<string, RequestCounts>;
}

/** Adds the routes that read and change the plans and read the counts; they have no latency and no faults. */
export function addControlRoutes(app: FastifyInstance, controls: Controls): void {
  const unknown = (reply: FastifyReply, carrier: string): FastifyReply => {
    const { message } = controls.unknown(carrier);
    return reply.code(404).send({ code: 'ERR_UNKNOWN_CARRIER', message });
  };
  app.get('/plan', async () => Object.fromEntries(controls.plans));
  app.get<PlanRoute>(
    '/plan/:carrier',
    async ({ params: { carrier } }, reply) =>
      controls.plans.get(carrier) ?? unknown(reply, carrier),
  );
  app.put<PlanRoute>('/plan/:carrier', async ({ params: { carrier }, body }, reply) => {
    if (!controls.plans.has(carrier)) return unknown(reply, carrier);
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

/** Returns a body that is not JSON as its text, which `setPlan` then refuses. */
function readBody(body: unknown): unknown {
  const text = String(body ?? '');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
