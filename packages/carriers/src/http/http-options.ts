import { show } from '../wire/wire-reader.ts';

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

const ranges = {
  connections: { fallback: 64, min: 1, max: 1024 },
  maxInFlight: { fallback: 1024, min: 1, max: 100_000 },
  maxBodyBytes: { fallback: 2 * 1024 * 1024, min: 1, max: 1024 ** 3 },
  connectTimeoutMs: { fallback: 1000, min: 1, max: 60_000 },
  retries: { fallback: 1, min: 0, max: 5 },
} as const;

/** Fills and checks the options. */
export function resolveCarrierHttpOptions(options: CarrierHttpOptions): ResolvedCarrierHttpOptions {
  const { now = Date.now, ...numbers } = options;
  if (typeof now !== 'function') {
    throw new TypeError(`Cannot create carrier HTTP: now must be a function, got ${show(now)}`);
  }
  for (const name of Object.keys(numbers)) {
    if (!Object.hasOwn(ranges, name)) {
      throw new TypeError(`Cannot create carrier HTTP: known options expected, got ${name}`);
    }
  }
  const read = (name: keyof typeof ranges): number => {
    const { fallback, min, max } = ranges[name];
    const value = numbers[name] ?? fallback;
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new RangeError(
        `Cannot create carrier HTTP: ${name} must be an integer from ${min} to ${max}, got ${show(value)}`,
      );
    }
    return value;
  };
  return {
    connections: read('connections'),
    maxInFlight: read('maxInFlight'),
    maxBodyBytes: read('maxBodyBytes'),
    connectTimeoutMs: read('connectTimeoutMs'),
    retries: read('retries'),
    now,
  };
}
