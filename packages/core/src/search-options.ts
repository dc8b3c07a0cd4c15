import type { Carrier, CarrierAnswer, CarrierContext, CarrierHttp } from './carrier.ts';
import type { CarrierId } from './journey.ts';
import { JOURNEY_ORDERS, type JourneyOrder } from './order.ts';
import type { ResolvedQuery } from './search-query.ts';
import { showValue } from './show-value.ts';

/** Runs one carrier for one search: in this process, or wherever a dispatcher takes it. */
export type RunCarrier = (
  carrier: Carrier,
  query: ResolvedQuery,
  context: CarrierContext,
) => Promise<CarrierAnswer>;

/** Options of `createSearch`. */
export interface SearchOptions {
  /** At least one; ids are unique. */
  readonly carriers: readonly Carrier[];
  /** Milliseconds for a whole search, 1 to 600,000. Default 2,000. */
  readonly deadlineMs?: number;
  /** By what journeys are sorted. Default `departure`. */
  readonly order?: JourneyOrder;
  /** Where a carrier gets its HTTP client. Default: none, for carriers that need no network. */
  readonly http?: (carrier: CarrierId) => CarrierHttp;
  /** Runs one carrier. Default: `normalise(await request())` in this process. */
  readonly run?: RunCarrier;
  /** Epoch ms. Default `Date.now`. */
  readonly now?: () => number;
}

/** Options of one call; they beat those of the search. */
export interface SearchCallOptions {
  /** When it aborts, the call rejects with its reason, and the carriers are aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds, 1 to 600,000. */
  readonly deadlineMs?: number;
  readonly order?: JourneyOrder;
}

export type ResolvedSearchOptions = Required<SearchOptions>;

export type ResolvedCallOptions = Required<Omit<SearchCallOptions, 'signal'>> & {
  readonly signal: AbortSignal | undefined;
};

const MAX_DEADLINE_MS = 600_000;

/** Fills and checks the options of a search. */
export function resolveSearchOptions(options: SearchOptions): ResolvedSearchOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Cannot create search: options expected, got ${showValue(options)}`);
  }
  const { carriers, http = noHttp, run = runInProcess, now = Date.now, ...rest } = options;
  const { deadlineMs = 2000, order = 'departure', ...unknown } = rest;
  refuseUnknown('create search', unknown);
  checkCarriers(carriers);
  for (const [name, value] of Object.entries({ http, run, now })) {
    if (typeof value !== 'function') {
      throw new TypeError(
        `Cannot create search: ${name} must be a function, got ${showValue(value)}`,
      );
    }
  }
  checkDeadline('create search', deadlineMs);
  checkOrder('create search', order);
  return { carriers: [...carriers], deadlineMs, order, http, run, now };
}

/** Fills and checks the options of one call. */
export function resolveCallOptions(
  options: SearchCallOptions,
  defaults: ResolvedSearchOptions,
): ResolvedCallOptions {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Cannot search: options expected, got ${showValue(options)}`);
  }
  const { signal, deadlineMs = defaults.deadlineMs, order = defaults.order, ...unknown } = options;
  refuseUnknown('search', unknown);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError(`Cannot search: signal must be an AbortSignal, got ${showValue(signal)}`);
  }
  checkDeadline('search', deadlineMs);
  checkOrder('search', order);
  return { signal, deadlineMs, order };
}

function checkCarriers(carriers: unknown): void {
  if (!Array.isArray(carriers) || carriers.length === 0) {
    const got = Array.isArray(carriers) ? 'none' : showValue(carriers);
    throw new TypeError(`Cannot create search: at least one carrier expected, got ${got}`);
  }
  const ids = new Set<string>();
  for (const carrier of carriers as readonly unknown[]) {
    const { id, request, normalise } = Object(carrier) as Partial<Carrier>;
    if (
      typeof id !== 'string' ||
      typeof request !== 'function' ||
      typeof normalise !== 'function'
    ) {
      throw new TypeError(
        `Cannot create search: a carrier has id, request and normalise, got ${showValue(id)} without`,
      );
    }
    if (ids.has(id)) {
      throw new TypeError(`Cannot create search: each carrier id once expected, got ${id} twice`);
    }
    ids.add(id);
  }
}

function checkDeadline(action: string, deadlineMs: number): void {
  if (!Number.isFinite(deadlineMs) || deadlineMs < 1 || deadlineMs > MAX_DEADLINE_MS) {
    throw new RangeError(
      `Cannot ${action}: deadlineMs must be 1 to ${MAX_DEADLINE_MS}, got ${showValue(deadlineMs)}`,
    );
  }
}

function checkOrder(action: string, order: JourneyOrder): void {
  if (!JOURNEY_ORDERS.includes(order)) {
    throw new RangeError(
      `Cannot ${action}: order must be one of ${JOURNEY_ORDERS.join(', ')}, got ${showValue(order)}`,
    );
  }
}

function refuseUnknown(action: string, unknown: object): void {
  const [name] = Object.keys(unknown);
  if (name !== undefined)
    throw new TypeError(`Cannot ${action}: known options expected, got ${name}`);
}

const runInProcess: RunCarrier = async (carrier, query, context) =>
  carrier.normalise(await carrier.request(query, context), query);

function noHttp(carrier: CarrierId): CarrierHttp {
  return {
    send: () =>
      Promise.reject(
        new TypeError(`Cannot ask ${carrier}: option http of createSearch expected, got none`),
      ),
  };
}
