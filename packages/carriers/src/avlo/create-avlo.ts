import { type Carrier, createLocalClock } from '@ticketing/core';
import { type CarrierEndpoint, resolveEndpoint } from '../wire/endpoint.ts';
import { createWireReader } from '../wire/wire-reader.ts';
import { idOf, normaliseAvlo } from './normalise.ts';
import { type AvloWire, requestAvlo } from './request.ts';

/**
 * Creates the Avlo adapter: a static timetable of one UTC day a document, with the carrier's own
 * station ids. Arrivals follow from the lines' running times; trains have no number.
 *
 * @throws TypeError for a `baseUrl` that is no URL, or an unknown option
 * @example
 * const avlo = createAvlo({ baseUrl: `${sim.url}/avlo` });
 */
export function createAvlo(options: CarrierEndpoint): Carrier<AvloWire> {
  const { baseUrl } = resolveEndpoint('avlo', options);
  const read = createWireReader('avlo');
  const clock = createLocalClock();
  return {
    id: 'avlo',
    name: 'Avlo',
    async request(query, context) {
      idOf(query.origin);
      idOf(query.destination);
      return requestAvlo(baseUrl, clock, query, context);
    },
    normalise: (wire, query) => normaliseAvlo({ read, clock }, wire, query),
  };
}
