import type { Carrier } from '@ticketing/core';
import { createDecoder } from '../wire/decoder.ts';
import { type CarrierEndpoint, resolveEndpoint } from '../wire/endpoint.ts';
import { normaliseAvlo } from './normalise.ts';
import { type AvloWire, requestAvlo } from './request.ts';

/**
 * Creates the Avlo adapter: a static timetable, one document per UTC day, with the carrier's own station ids. Arrivals follow from the lines' running times; trains have no number.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or an unknown option
 * @example
 * const avlo = createAvlo({ baseUrl: `${sim.url}/avlo` });
 */
export function createAvlo(options: CarrierEndpoint): Carrier<AvloWire> {
  const { baseUrl } = resolveEndpoint('avlo', options);
  const decoder = createDecoder('avlo');
  return {
    id: 'avlo',
    name: 'Avlo',
    request: (query, context) => requestAvlo(baseUrl, decoder.clock, query, context),
    normalise: (wire, query) => normaliseAvlo(decoder, wire, query),
  };
}
