import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { CarrierSimError } from '../errors.ts';
import { isCalendarDate, localTimeAt, type Zone } from '../timetable/local-clock.ts';
import { findStation } from '../timetable/network.ts';
import { servesPair } from '../timetable/service.ts';
import {
  type CarrierSimId,
  carrierSimIds,
  isCarrier,
  wrongCarrier,
} from '../timetable/sim-carriers.ts';
import { createTimetable, mergeTrains, type TrainsQuery } from '../timetable/timetable.ts';
import type { Train } from '../timetable/train.ts';
import { createAvloWire } from '../wires/avlo-wire.ts';
import { createOuigoWire } from '../wires/ouigo-wire.ts';
import { createRenfeWire } from '../wires/renfe-wire.ts';
import { maxDaysAhead, type Wire, type WireContext } from '../wires/wire.ts';
import { addCarrierRoutes } from './carrier-routes.ts';
import { type CarrierSimOptions, resolveCarrierSimOptions } from './carrier-sim-options.ts';
import { addControlRoutes } from './control-routes.ts';
import { type Plan, type PlanPatch, resolvePlan } from './plan.ts';
import { createRequestLog, type RequestCounts } from './request-log.ts';

/** A running simulator. */
export interface CarrierSim extends AsyncDisposable {
  /** Where it listens, `http://127.0.0.1:4567`; each carrier answers below its id, such as `/renfe`. */
  readonly url: string;
  /**
   * Changes some fields of a carrier's plan, from its next call on. Returns the whole plan.
   *
   * @throws TypeError when a field or kind is unknown, or a value has the wrong type.
   * @throws RangeError when the carrier is unknown or a value is out of range.
   */
  setPlan(carrier: CarrierSimId, patch: PlanPatch): Plan;
  /**
   * Returns the plan that a carrier follows.
   *
   * @throws RangeError when the carrier is unknown.
   */
  plan(carrier: CarrierSimId): Plan;
  /** Returns the counts of the calls to each carrier since the start. */
  requests(): Record<CarrierSimId, RequestCounts>;
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
 * Starts a simulator of every carrier on one port. The caller must call `close()`. The same seed gives the same
 * trains on every start.
 *
 * @throws TypeError when an option is unknown or has the wrong type.
 * @throws RangeError when a value is out of range.
 * @throws CarrierSimError `ERR_CARRIER_SIM_LISTEN` when it cannot listen.
 * @example
 * const sim = await startCarrierSim({ plan: { ouigo: { fault: { kind: 'hang' } } } });
 * await fetch(`${sim.url}/renfe/vol/buscarTren.do`);
 * await sim.close();
 */
export async function startCarrierSim(options: CarrierSimOptions = {}): Promise<CarrierSim> {
  const { seed, plan, host, port, now, credentials } = resolveCarrierSimOptions(options);
  const timetable = createTimetable({ seed });
  const plans: Record<CarrierSimId, Plan> = { ...plan };
  const log = createRequestLog();
  const app = createApp();

  const planOf = (carrier: CarrierSimId, action = 'read plan'): Plan => {
    if (isCarrier(carrier)) return plans[carrier];
    throw wrongCarrier(action, carrier);
  };
  const setPlan = (carrier: CarrierSimId, patch: unknown): Plan => {
    const plan = resolvePlan(carrier, planOf(carrier, 'set plan'), patch);
    plans[carrier] = plan;
    return plan;
  };
  const trains = ({ carrier, ...query }: TrainsQuery): readonly Train[] =>
    mergeTrains(
      (carrier ? [carrier] : carrierSimIds).map((seller) =>
        timetable.trains({
          ...query,
          carrier: seller,
          journeys: planOf(seller, 'list trains').journeys,
        }),
      ),
    );
  const daysAhead = (day: string, zone: Zone): number =>
    (Date.parse(day) - Date.parse(localTimeAt(now(), zone).date)) / 86_400_000;
  const contextOf = (carrier: CarrierSimId): WireContext => ({
    seed,
    credentials,
    now,
    daysAhead,
    trains: (query) => trains({ ...query, carrier }),
    find(query) {
      const origin = findStation(query.origin);
      if (!origin || !servesPair(carrier, query)) return { kind: 'not-served' };
      const ahead = isCalendarDate(query.date) ? daysAhead(query.date, origin.zone) : -1;
      if (ahead < 0 || ahead > maxDaysAhead) return { kind: 'date-not-on-sale' };
      return { kind: 'trains', trains: trains({ ...query, carrier }) };
    },
  });
  for (const carrier of carrierSimIds) {
    const wire = wires[carrier](contextOf(carrier));
    addCarrierRoutes(app, { carrier, wire, seed, log, plan: () => plans[carrier] });
  }
  addControlRoutes(app, { plan: planOf, setPlan, requests: log.counts });
  const url = await listen(app, { host, port });
  const close = async (): Promise<void> => {
    await app.close();
  };
  return {
    url,
    setPlan,
    plan: (carrier) => planOf(carrier),
    requests: log.counts,
    trains,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The wire of each carrier. */
const wires: Record<CarrierSimId, (context: WireContext) => Wire> = {
  renfe: createRenfeWire,
  ouigo: createOuigoWire,
  avlo: createAvloWire,
};

function createApp(): FastifyInstance {
  const app = fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
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
