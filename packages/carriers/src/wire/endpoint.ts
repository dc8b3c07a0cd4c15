import { required, resolveByRules } from '@ticketing/kit';

/** Where a carrier answers. */
export interface CarrierEndpoint {
  /** Absolute http or https URL; the carrier's paths are appended to its path. */
  readonly baseUrl: string;
}

const rules = {
  baseUrl: required({
    expected: 'an http or https URL',
    test: (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value),
  }),
};

/**
 * Returns a checked endpoint without trailing slashes.
 *
 * @throws TypeError for a `baseUrl` that is not a URL, or an unknown option
 */
export function resolveEndpoint(carrier: string, options: CarrierEndpoint): CarrierEndpoint {
  const { baseUrl } = resolveByRules<CarrierEndpoint>(`create ${carrier}`, options, rules);
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end -= 1;
  return { baseUrl: baseUrl.slice(0, end) };
}
