import type { Carrier } from '@ticketing/core';
import { createDecoder } from '../wire/decoder.ts';
import { anAddress, type CarrierEndpoint, resolveEndpoint, withoutEnd } from '../wire/endpoint.ts';
import { normaliseCalendar, requestCalendar } from './calendar.ts';
import { normaliseRenfe } from './normalise.ts';
import { type RenfeWire, requestRenfe } from './request.ts';

/** Options of `createRenfe`. */
export interface RenfeOptions extends CarrierEndpoint {
  /**
   * Absolute http or https URL of the service behind the shop's price calendar, another host than the shop's. Default: none, so that
   * a calendar has the days beside the first one that the shop shows with its trains.
   */
  readonly calendarUrl?: string | undefined;
}

/**
 * Creates the Renfe adapter: four DWR calls in one cookie session. The answer is a script, which is read as
 * literals and never run. Times are local, prices are per person, as text with a decimal comma. Its calendar has the shop's own least prices.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or an unknown option
 * @example
 * const renfe = createRenfe({ baseUrl: `${sim.url}/renfe` });
 */
export function createRenfe(options: RenfeOptions): Carrier<RenfeWire> {
  const { baseUrl, calendarUrl } = resolveEndpoint<RenfeOptions>('renfe', options, {
    calendarUrl: anAddress,
  });
  const decoder = createDecoder('renfe');
  return {
    id: 'renfe',
    name: 'Renfe',
    capabilities: { asks: ['calendar'] },
    request: (query, context) =>
      query.calendarUntil === undefined || calendarUrl === undefined
        ? requestRenfe(baseUrl, decoder.read, query, context)
        : requestCalendar(withoutEnd(calendarUrl, '/'), query, context),
    normalise: (wire, query) =>
      query.calendarUntil === undefined
        ? normaliseRenfe(decoder, wire, query)
        : normaliseCalendar(decoder, wire, query),
  };
}
