import { isCalendarDate, localTimeAt, type Zone } from '../timetable/local-clock.ts';
import { findStation } from '../timetable/network.ts';
import { servesPair } from '../timetable/service.ts';
import type { CarrierSimId } from '../timetable/sim-carriers.ts';
import type { TrainsQuery } from '../timetable/timetable.ts';
import type { Train } from '../timetable/train.ts';
import { findAround } from '../wires/find-around.ts';
import { type Finding, maxDaysAhead, type WireContext } from '../wires/wire.ts';
import type { Plan } from './plan.ts';

/** One carrier, and what it sells now. */
interface ContextOptions extends Pick<WireContext, 'carrier' | 'seed' | 'credentials' | 'now'> {
  trains(query: TrainsQuery & { readonly carrier: CarrierSimId }): readonly Train[];
  /** Returns the present plan. */
  plan(): Plan;
}

/** Creates what the wire of a carrier gets from the simulator. */
export function createWireContext(options: ContextOptions): WireContext {
  const { carrier, seed, credentials, now, plan } = options;
  const trains: WireContext['trains'] = (query) => options.trains({ ...query, carrier });
  const daysAhead = (day: string, zone: Zone): number =>
    (Date.parse(day) - Date.parse(localTimeAt(now(), zone).date)) / 86_400_000;
  const find: WireContext['find'] = (query): Finding => {
    const origin = findStation(query.origin);
    if (!origin || !servesPair(carrier, query)) return { kind: 'not-served' };
    const ahead = isCalendarDate(query.date) ? daysAhead(query.date, origin.zone) : -1;
    if (ahead < 0 || ahead > maxDaysAhead) return { kind: 'date-not-on-sale' };
    return { kind: 'trains', trains: trains(query) };
  };
  return {
    carrier,
    seed,
    credentials,
    now,
    daysAhead,
    trains,
    find,
    findAround: (query) =>
      findAround(query, (date) =>
        find({ origin: query.origin, destination: query.destination, date }),
      ),
    pageSize: (wanted) => Math.min(wanted, plan().pageSize ?? wanted),
  };
}
