import type { Carrier } from '@ticketing/core';
import { createDecoder } from '../wire/decoder.ts';
import { type CarrierEndpoint, resolveEndpoint } from '../wire/endpoint.ts';
import { normaliseRenfe } from './normalise.ts';
import { type RenfeWire, requestRenfe } from './request.ts';

/**
 * Creates the Renfe adapter: four DWR calls in one cookie session. The answer is a script, which is read as
 * literals and never run. Times are local, prices are per person, as text with a decimal comma.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or an unknown option
 * @example
 * const renfe = createRenfe({ baseUrl: `${sim.url}/renfe` });
 */
export function createRenfe(options: CarrierEndpoint): Carrier<RenfeWire> {
  const { baseUrl } = resolveEndpoint('renfe', options);
  const decoder = createDecoder('renfe');
  return {
    id: 'renfe',
    name: 'Renfe',
    request: (query, context) => requestRenfe(baseUrl, decoder.read, query, context),
    normalise: (wire, query) => normaliseRenfe(decoder, wire, query),
  };
}
