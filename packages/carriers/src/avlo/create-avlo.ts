import type { Carrier } from '@ticketing/core';
import { createDecoder } from '../wire/decoder.ts';
import { type CarrierEndpoint, resolveEndpoint } from '../wire/endpoint.ts';
import { normaliseAvlo } from './normalise.ts';
import { type AvloWire, requestAvlo } from './request.ts';

/**
 * Creates the Avlo adapter. Its wire is invented: no server speaks it but the simulator. Avlo's real trains are in the answers of Renfe,
 * as brand `AVLO`. A static timetable, one document per UTC day, with station ids of its own. Arrivals follow from the lines' running
 * times; trains have no number.
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
    capabilities: { stationSystem: 'uic' },
    request: (query, context) => requestAvlo(baseUrl, decoder.clock, query, context),
    normalise: (wire, query) => normaliseAvlo(decoder, wire, query),
  };
}
