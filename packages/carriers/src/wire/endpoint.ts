import { show } from './wire-reader.ts';

/** Where a carrier answers. */
export interface CarrierEndpoint {
  /** Absolute http or https URL; the carrier's paths are appended to its path. */
  readonly baseUrl: string;
}

/**
 * Checks an endpoint and refuses other options; a trailing slash is dropped.
 *
 * @throws TypeError
 */
export function resolveEndpoint(carrier: string, options: CarrierEndpoint): CarrierEndpoint {
  const { baseUrl, ...unknown } = Object(options) as CarrierEndpoint;
  const [name] = Object.keys(unknown);
  if (name !== undefined) {
    throw new TypeError(`Cannot create ${carrier}: known options expected, got ${name}`);
  }
  if (typeof baseUrl !== 'string' || !/^https?:/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(
      `Cannot create ${carrier}: baseUrl must be an http or https URL, got ${show(baseUrl)}`,
    );
  }
  let end = baseUrl.length;
  while (baseUrl[end - 1] === '/') end -= 1;
  return { baseUrl: baseUrl.slice(0, end) };
}
