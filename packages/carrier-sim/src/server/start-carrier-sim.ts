import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { CarrierSimError } from '../errors.ts';
import {
  type CarrierSimId,
  carrierSimIds,
  isCarrier,
  wrongCarrier,
} from '../timetable/sim-carriers.ts';
import { createTimetable, mergeTrains, type TrainsQuery } from '../timetable/timetable.ts';
import type { Train } from '../timetable/train.ts';
import { planTraitsOf, wires } from '../wires/wires.ts';
import { createGate, type Gate } from './capacity.ts';
import { addOwnRoutes, addWireRoutes, type CarrierRoutes } from './carrier-routes.ts';
import { type CarrierSimOptions, resolveCarrierSimOptions } from './carrier-sim-options.ts';
import { addControlRoutes } from './control-routes.ts';
import { ownTraits, type Plan, type PlanPatch, resolvePlan } from './plan.ts';
import { createRequestLog, type RequestsByCarrier } from './request-log.ts';
import { createWireContext } from './wire-context.ts';

/** A running simulator; `Own` are the names of your own carriers. */
export interface CarrierSim<Own extends string = never> extends AsyncDisposable {
  /** Address of the simulator, `http://127.0.0.1:4567`; each carrier answers below its name, such as `/renfe`. */
  readonly url: string;
  /**
   * Changes some fields of a carrier's plan, from its next call on. Returns the whole plan.
   *
   * @throws TypeError when a field or kind is unknown, a value has the wrong type, or it needs trains or prices that a
   *   carrier of your own does not have.
   * @throws RangeError when the carrier is unknown or a value is out of range.
   */
  setPlan(carrier: CarrierSimId | Own, patch: PlanPatch): Plan;
  /**
   * Returns the plan that a carrier follows.
   *
   * @throws RangeError when the carrier is unknown.
   */
  plan(carrier: CarrierSimId | Own): Plan;
  /** Returns the counts of the calls to each carrier since the start. */
  requests(): RequestsByCarrier<Own>;
  /**
   * Returns the trains that the wires encode now, with `journeys` of the plans, by departure.
   *
   * @throws RangeError when the date is not a calendar day.
   */
  trains(query: TrainsQuery): readonly Train[];
  /** Stops listening and closes every connection, also of hung and dripping answers. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a simulator of every carrier on one port, and of your own ones. The caller must call `close()`. The same seed
 * gives the same trains on every start.
 *
 * @throws TypeError when an option is unknown or has the wrong type.
 * @throws RangeError when a value is out of range.
 * @throws CarrierSimError `ERR_CARRIER_SIM_LISTEN` when it cannot listen.
 * @example
 * const sim = await startCarrierSim({ plan: { ouigo: { fault: { kind: 'hang' } } } });
 * await fetch(`${sim.url}/renfe/vol/buscarTren.do`);
 * await sim.close();
 * @example
 * const own = await startCarrierSim({
 *   carriers: { night: ({ path }) => ({ body: { trains: [path] } }) },
 *   plan: { night: { fault: { kind: 'drip', share: 0.1 } } },
 * });
 * await fetch(`${own.url}/night/2026-12-01`);
 * own.requests().night.arrived; // 1
 */
export async function startCarrierSim<Own extends string = never>(
  options: CarrierSimOptions<Own> = {},
): Promise<CarrierSim<Own>> {
  const { seed, own, host, port, now, credentials, ...resolved } =
    resolveCarrierSimOptions(options);
  const timetable = createTimetable({ seed });
  const plans = new Map(resolved.plans);
  const log = createRequestLog(own.keys(), now);
  const gates = new Map<string, Gate>();
  const app = createApp();

  const unknown = (carrier: unknown, action: string): RangeError =>
    wrongCarrier(action, carrier, [...plans.keys()]);
  const planOf = (carrier: string, action = 'read plan'): Plan => {
    const plan = plans.get(carrier);
    if (plan === undefined) throw unknown(carrier, action);
    return plan;
  };
  const setPlan = (carrier: string, patch: unknown): Plan => {
    const traits = isCarrier(carrier) ? planTraitsOf(carrier) : ownTraits;
    const plan = resolvePlan(carrier, traits, planOf(carrier, 'set plan'), patch);
    plans.set(carrier, plan);
    gates.get(carrier)?.admit();
    return plan;
  };
  const journeysOf = (seller: CarrierSimId): number | null => {
    if (isCarrier(seller)) return planOf(seller).journeys;
    throw wrongCarrier('list trains', seller);
  };
  const trainsOf = (query: TrainsQuery & { readonly carrier: CarrierSimId }): readonly Train[] =>
    timetable.trains({ ...query, journeys: journeysOf(query.carrier) });
  const trains = ({ carrier, ...query }: TrainsQuery): readonly Train[] =>
    mergeTrains(
      (carrier ? [carrier] : carrierSimIds).map((seller) =>
        trainsOf({ ...query, carrier: seller }),
      ),
    );
  const routesOf = (carrier: string): CarrierRoutes => {
    const plan = (): Plan => planOf(carrier);
    const gate = createGate(() => plan().capacity);
    gates.set(carrier, gate);
    return { carrier, seed, log, gate, plan };
  };
  for (const carrier of carrierSimIds) {
    const wire = wires[carrier].create(
      createWireContext({
        carrier,
        seed,
        credentials,
        now,
        trains: trainsOf,
        plan: () => planOf(carrier),
      }),
    );
    const { coding = 'gzip' } = wires[carrier];
    addWireRoutes(app, wire, { ...routesOf(carrier), coding });
  }
  for (const [carrier, handler] of own) {
    addOwnRoutes(app, handler, routesOf(carrier));
  }
  addControlRoutes(app, {
    plans,
    setPlan,
    unknown: (carrier) => unknown(carrier, 'find plan'),
    requests: log.counts,
  });
  const url = await listen(app, { host, port });
  const close = async (): Promise<void> => {
    await app.close();
  };
  return {
    url,
    setPlan,
    plan: (carrier) => planOf(carrier),
    requests: () => log.counts() as RequestsByCarrier<Own>,
    trains,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates a server that reads every body as bytes. */
export function createApp(): FastifyInstance {
  const app = fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return app;
}

async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    const { code } = cause as NodeJS.ErrnoException;
    const message = `Cannot start carrier simulator: cannot listen on ${host}:${port} (${code})`;
    throw new CarrierSimError('ERR_CARRIER_SIM_LISTEN', message, { data: { host, port }, cause });
  }
  const bound = (app.server.address() as AddressInfo).port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
