import {
  aFunction,
  aSignal,
  checkByRules,
  oneOf,
  orInfinity,
  type Rule,
  required,
  resolveByRules,
  whole,
} from '@ticketing/kit';
import type { Carrier, CarrierAnswer, CarrierContext, CarrierHttp } from '../contract/carrier.ts';
import type { CarrierQuery } from '../contract/search-query.ts';
import { JOURNEY_ORDERS, type JourneyOrder } from '../journeys/order.ts';
import type { CarrierId } from '../model/journey.ts';
import { presentFields } from '../model/present-fields.ts';
import { checkRates, type RateOption } from '../prices/rate-source.ts';
import { aDeadline, checkIds, chooseById, someIds } from '../scatter/scatter-options.ts';
import type { SourceFacts } from '../scatter/source-note.ts';

/** Context in which a carrier is run. */
export interface RunContext extends CarrierContext {
  /** Adds facts to the carrier's status, until it settles. Needs no `this`. */
  readonly note: (facts: SourceFacts) => void;
}

/** Runs one carrier for one search: in this process, or where a dispatcher runs it. */
export type RunCarrier = (
  carrier: Carrier,
  query: CarrierQuery,
  context: RunContext,
) => Promise<CarrierAnswer>;

/**
 * Returns an answer that is kept of an earlier question, without asking the carrier; `undefined` if there is none. What it throws
 * counts as if the carrier had thrown it.
 */
export type KnownAnswer = (
  carrier: Carrier,
  query: CarrierQuery,
) => CarrierAnswer | undefined | Promise<CarrierAnswer | undefined>;

/** Options of `createSearch`. */
export interface SearchOptions {
  /** Carriers with unique ids, at least one. */
  readonly carriers: readonly Carrier[];
  /** Milliseconds for a whole search, 1 to 600,000. Default 2,000. */
  readonly deadlineMs?: number | undefined;
  /** Sorts the journeys. Default `departure`. */
  readonly order?: JourneyOrder | undefined;
  /**
   * Exchange rates by which offers get a price in the currency of the query, or in the base of the rates; or a function that returns the rates of
   * now, once for each search. Default: none, so that no two currencies are compared.
   */
  readonly rates?: RateOption | undefined;
  /**
   * Most journeys in one answer of a carrier, 1 or more, or `Infinity`. A carrier that answers more fails with code `PROTOCOL`: none is
   * left out in silence. Default 10,000.
   */
  readonly maxJourneys?: number | undefined;
  /** Returns the HTTP client of a carrier. Default: none, for carriers that need no network. */
  readonly http?: ((carrier: CarrierId) => CarrierHttp) | undefined;
  /** Runs one carrier. Default: `normalise(await request())` in this process. */
  readonly run?: RunCarrier | undefined;
  /** Returns an answer that is kept: a calendar has its days. Default: none is. */
  readonly known?: KnownAnswer | undefined;
  /** Epoch ms. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Options of one call; they override the options of the search. */
export interface SearchCallOptions {
  /** Signal whose abort rejects the call with its reason, and aborts the carriers. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, 1 to 600,000. */
  readonly deadlineMs?: number | undefined;
  readonly order?: JourneyOrder | undefined;
  /** Ids of the carriers to ask, at least one. Default: all. They are asked in the order of the search. */
  readonly carriers?: readonly CarrierId[] | undefined;
}

/** Options of which none is absent. */
type Filled<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

export type ResolvedSearchOptions = Filled<Omit<SearchOptions, 'rates'>> &
  Pick<SearchOptions, 'rates'>;

export type ResolvedCallOptions = Filled<Omit<SearchCallOptions, 'signal' | 'carriers'>> & {
  readonly signal: AbortSignal | undefined;
  readonly carriers: readonly Carrier[];
};

const callRules = /* @__PURE__ */ rulesOfCalls();
const SEARCH = 'create search';

function rulesOfCalls() {
  return {
    deadlineMs: aDeadline,
    order: { ...oneOf(...JOURNEY_ORDERS), fallback: 'departure' },
  };
}

/** Fills and checks the options of a search. */
export function resolveSearchOptions(options: SearchOptions): ResolvedSearchOptions {
  const resolved = resolveByRules<ResolvedSearchOptions>(SEARCH, options, {
    ...callRules,
    carriers: required(someCarriers),
    maxJourneys: orInfinity(whole(10_000)),
    rates: objectOrFunction,
    http: { ...aFunction, fallback: noHttp },
    run: { ...aFunction, fallback: runInProcess },
    known: { ...aFunction, fallback: () => undefined },
    now: { ...aFunction, fallback: () => Date.now() },
  });
  if (typeof resolved.rates === 'object') checkRates(SEARCH, resolved.rates);
  checkIds({ action: SEARCH, option: 'carriers', rule: aCarrier }, resolved.carriers);
  return { ...resolved, carriers: [...resolved.carriers] };
}

/** Fills and checks the options of one call. */
export function resolveCallOptions(
  options: SearchCallOptions,
  { deadlineMs, order, carriers }: ResolvedSearchOptions,
): ResolvedCallOptions {
  const rules = { ...callRules, signal: aSignal, carriers: someIds };
  const checked = checkByRules('search', options, rules) as SearchCallOptions;
  const chosen = chooseById(
    { action: 'search', option: 'carriers', ids: checked.carriers },
    carriers,
  );
  return { signal: undefined, deadlineMs, order, ...presentFields(checked), carriers: chosen };
}

const objectOrFunction: Rule = {
  expected: 'an object, or a function that returns one',
  test: (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
};

const someCarriers: Rule = {
  expected: 'a list of at least one carrier',
  test: (value) => Array.isArray(value) && value.length > 0,
};

const aCarrier: Rule = {
  expected: 'a carrier with id, request and normalise',
  test: (value) => {
    const { id, request, normalise } = Object(value) as Partial<Carrier>;
    return (
      typeof id === 'string' && typeof request === 'function' && typeof normalise === 'function'
    );
  },
};

const runInProcess: RunCarrier = async (carrier, query, context) =>
  carrier.normalise(await carrier.request(query, context), query);

function noHttp(carrier: CarrierId): CarrierHttp {
  return {
    send: () =>
      Promise.reject(
        new TypeError(
          `Cannot send request of \`${carrier}\`: option \`http\` of createSearch is not set`,
        ),
      ),
  };
}
