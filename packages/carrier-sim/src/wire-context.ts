import type { CarrierSimId } from './carrier-sim-id.ts';
import { isCalendarDate, localTimeAt } from './local-clock.ts';
import { findStation } from './network.ts';
import { servesPair } from './service.ts';
import { maxDaysAhead, type WireContext } from './wire.ts';

/** What a carrier's {@link WireContext} is made from. */
export interface WireContextParts {
  readonly seed: string;
  readonly carrier: CarrierSimId;
  now(): number;
  trains: WireContext['trains'];
}

/** Creates what a carrier's wire asks of the simulator. */
export function createWireContext({ seed, carrier, now, trains }: WireContextParts): WireContext {
  const daysAhead: WireContext['daysAhead'] = (date, zone) =>
    (Date.parse(date) - Date.parse(localTimeAt(now(), zone).date)) / 86_400_000;
  return {
    seed,
    now,
    trains,
    daysAhead,
    find(query) {
      const origin = findStation(query.origin);
      if (!origin || !servesPair(carrier, query)) return { kind: 'not-served' };
      const ahead = isCalendarDate(query.date) ? daysAhead(query.date, origin.zone) : -1;
      if (ahead < 0 || ahead > maxDaysAhead) return { kind: 'date-not-on-sale' };
      return { kind: 'trains', trains: trains(query) };
    },
  };
}
