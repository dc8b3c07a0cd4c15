import { aFunction, resolveByRules, wholeBetween } from '@ticketing/kit';

/** Options of `createCarrierHttp`. */
export interface CarrierHttpOptions {
  /** Sockets to one carrier, 1 to 1,024. Default 64. */
  readonly connections?: number;
  /** Requests to one carrier that are sent or wait for a socket, 1 to 100,000. Default 1,024. */
  readonly maxInFlight?: number;
  /** Largest answer in bytes, 1 to 1 GiB. Default 2 MiB, some 80 times a carrier's usual answer. */
  readonly maxBodyBytes?: number;
  /** Milliseconds to connect, 1 to 60,000. Default 1,000; never longer than the deadline. */
  readonly connectTimeoutMs?: number;
  /**
   * How often a request is sent again after a network failure or a `Retry-After` that fits the
   * deadline, 0 to 5. Default 1. Searches only read, so a POST may be sent twice.
   */
  readonly retries?: number;
  /** Epoch ms. Default `Date.now`. */
  readonly now?: () => number;
}

export type ResolvedCarrierHttpOptions = Required<CarrierHttpOptions>;

const rules = {
  connections: wholeBetween(1, 1024, 64),
  maxInFlight: wholeBetween(1, 100_000, 1024),
  maxBodyBytes: wholeBetween(1, 1024 ** 3, 2 * 1024 * 1024),
  connectTimeoutMs: wholeBetween(1, 60_000, 1000),
  retries: wholeBetween(0, 5, 1),
  now: { ...aFunction, fallback: () => Date.now() },
};

/** Fills and checks the options. */
export function resolveCarrierHttpOptions(options: CarrierHttpOptions): ResolvedCarrierHttpOptions {
  return resolveByRules('create carrier HTTP', options, rules);
}
