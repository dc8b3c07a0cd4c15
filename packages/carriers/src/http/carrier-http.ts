import { setTimeout as delay } from 'node:timers/promises';
import {
  CarrierError,
  type CarrierHttp,
  type CarrierHttpRequest,
  type CarrierHttpResponse,
  type CarrierId,
} from '@ticketing/core';
import { aFunction, createSignalListeners, resolveByRules, wholeBetween } from '@ticketing/kit';
import { Pool } from 'undici';
import { type ExchangeLimits, exchange } from './exchange.ts';
import { statusError, transportError } from './http-error.ts';
import { readRetryAfter } from './retry-after.ts';

/** Options of `createCarrierHttp`. */
export interface CarrierHttpOptions {
  /** Sockets to one carrier, 1 to 1,024. Default 64. */
  readonly connections?: number | undefined;
  /** Requests to one carrier that are sent or wait for a socket, 1 to 100,000. Default 1,024. */
  readonly maxInFlight?: number | undefined;
  /** Largest answer in bytes, as it is sent and when it is decoded, 1 to 1 GiB. Default 2 MiB, some 80 times a carrier's usual answer. */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds to connect, 1 to 60,000. Default 1,000; never longer than the deadline. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Further attempts after a network failure or a `Retry-After` that fits the deadline,
   * 0 to 5. Default 1. Searches only read, so a POST may be sent twice.
   */
  readonly retries?: number | undefined;
  /** Epoch ms. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

type ResolvedCarrierHttpOptions = {
  readonly [Name in keyof CarrierHttpOptions]-?: Exclude<CarrierHttpOptions[Name], undefined>;
};

const rules = {
  connections: wholeBetween(1, 1024, 64),
  maxInFlight: wholeBetween(1, 100_000, 1024),
  maxBodyBytes: wholeBetween(1, 1024 ** 3, 2 * 1024 * 1024),
  connectTimeoutMs: wholeBetween(1, 60_000, 1000),
  retries: wholeBetween(0, 5, 1),
  now: { ...aFunction, fallback: () => Date.now() },
};

/** Counters of one carrier's HTTP. */
export interface CarrierHttpStats {
  readonly inFlight: number;
  readonly sent: number;
  readonly retried: number;
  /** Refused here because `maxInFlight` were in flight. */
  readonly refused: number;
}

/** HTTP for adapters: one pool of sockets per carrier, so that a hung carrier takes no socket from another. */
export interface CarrierHttpPools extends AsyncDisposable {
  /** Returns the client of one carrier. Needs no `this`. */
  readonly clientOf: (carrier: CarrierId) => CarrierHttp;
  stats(): Readonly<Record<CarrierId, CarrierHttpStats>>;
  /** Ends every request in flight with `NETWORK` and closes every socket. Idempotent. */
  close(): Promise<void>;
}

/** An address, read once. */
interface Target {
  readonly origin: string;
  readonly path: string;
}

interface Client extends CarrierHttp {
  readonly counters: { inFlight: number; sent: number; retried: number; refused: number };
  close(): Promise<void>;
}

const NETWORK_RETRY_MS = 20;
const MAX_TARGETS = 128;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Longest body of a status of `alsoResolve`. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Creates the HTTP of a process's carriers. Every answer is read whole and bounded, every request ends
 * at its deadline or signal, every failure is a CarrierError. Answers are asked for in `gzip` and `br`, unless a request has an
 * `accept-encoding` of its own, and decoded. From status 300 on no body is waited for: that of
 * a redirect is empty.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * await using http = createCarrierHttp();
 * const search = createSearch({ carriers, http: http.clientOf });
 */
export function createCarrierHttp(options: CarrierHttpOptions = {}): CarrierHttpPools {
  const resolved = resolveByRules<ResolvedCarrierHttpOptions>(
    'create carrier HTTP',
    options,
    rules,
  );
  const clients = new Map<CarrierId, Client>();
  return {
    clientOf(carrier) {
      const known = clients.get(carrier);
      if (known) return known;
      const client = createClient(carrier, resolved);
      clients.set(carrier, client);
      return client;
    },
    stats: () =>
      Object.fromEntries([...clients].map(([id, { counters }]) => [id, { ...counters }])),
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

function createClient(carrier: CarrierId, options: ResolvedCarrierHttpOptions): Client {
  const { connections, maxInFlight, maxBodyBytes, connectTimeoutMs, retries, now } = options;
  const pools = new Map<string, Pool>();
  // Most requests of a carrier have one of a few addresses.
  const targets = new Map<string, Target>();
  const counters = { inFlight: 0, sent: 0, retried: 0, refused: 0 };
  const limits: ExchangeLimits = {
    carrier,
    now,
    listeners: createSignalListeners(),
    maxBodyBytes,
    maxErrorBytes: MAX_ERROR_BYTES,
    refusal: (status, headers) =>
      status < 400
        ? undefined
        : statusError(carrier, status, readRetryAfter(headers['retry-after'], now())),
  };
  let closed = false;

  function poolOf(origin: string): Pool {
    if (closed)
      throw new CarrierError('NETWORK', `Cannot ask \`${carrier}\`: the HTTP client is closed`);
    const known = pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      connections,
      connect: { timeout: connectTimeoutMs },
      // A request has one timer of its own, for its deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.set(origin, pool);
    return pool;
  }

  function targetOf(url: string): Target {
    const known = targets.get(url);
    if (known) return known;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    if (targets.size >= MAX_TARGETS) targets.clear();
    targets.set(url, target);
    return target;
  }

  function sendOnce(request: CarrierHttpRequest): Promise<CarrierHttpResponse> {
    const timeoutMs = Math.min(Math.ceil(request.deadline - now()), LONGEST_TIMER_MS);
    if (timeoutMs <= 0)
      throw new CarrierError('TIMEOUT', `Cannot ask \`${carrier}\`: its deadline has passed`);
    const { origin, path } = targetOf(request.url);
    const pool = poolOf(origin);
    counters.sent += 1;
    return exchange(pool, { path, request, timeoutMs }, limits);
  }

  /** Waits before a request is sent again. @throws CarrierError if it is not to be */
  async function beforeRetry(
    { deadline, signal }: CarrierHttpRequest,
    cause: unknown,
    isLast: boolean,
  ): Promise<void> {
    const error = transportError(carrier, cause);
    const waitMs = error.retryAfterMs ?? (error.code === 'NETWORK' ? NETWORK_RETRY_MS : undefined);
    const retry = !isLast && waitMs !== undefined && !closed;
    if (!retry || now() + waitMs >= deadline || signal.aborted) throw error;
    counters.retried += 1;
    await delay(waitMs, undefined, { signal }).catch(() => {
      throw transportError(carrier, signal.reason);
    });
  }

  return {
    counters,
    async send(request) {
      if (counters.inFlight >= maxInFlight) {
        counters.refused += 1;
        throw new CarrierError(
          'OVERLOADED',
          `Cannot ask \`${carrier}\`: \`maxInFlight\` (${maxInFlight}) requests are under way`,
        );
      }
      counters.inFlight += 1;
      try {
        for (let attempt = 0; ; attempt++) {
          try {
            return await sendOnce(request);
          } catch (cause) {
            await beforeRetry(request, cause, attempt >= retries);
          }
        }
      } finally {
        counters.inFlight -= 1;
      }
    },
    async close() {
      closed = true;
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
