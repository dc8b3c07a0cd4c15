import { aFlag, aFunction, type Clock, type Rule, resolveByRules } from '@ticketing/kit';
import type { KeyValue } from '../../canonical-key.ts';
import type { CoalescerOptions } from '../../coalescer/coalescer.ts';
import type { HttpRequest } from './when-left.ts';

/** Bounds of the requests in flight of coalesced routes. */
export interface RouteBounds {
  /** Most different requests in flight. Default 10,000. */
  readonly maxKeys?: number | undefined;
  /** Most equal requests in flight. Default 100,000. */
  readonly maxWaitersPerKey?: number | undefined;
  /** Effect of a request above a bound: 503, or a run of the handler of its own. Default `reject`. */
  readonly overflow?: 'reject' | 'bypass' | undefined;
  /** Milliseconds a handler may take, 1 to 2^31-1; then 504 to all that wait. Default: no limit. */
  readonly loadTimeoutMs?: number | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
}

/**
 * Returns the part that equal requests have in common. A function for a framework's own requests is one, too: it is declared as a
 * method for that.
 */
export type RequestKey<R = HttpRequest> = { keyOf(request: R): KeyValue }['keyOf'];

/** Options of `coalesceRoute`. `R` is what `key` gets: a request, or the framework's context. */
export interface CoalesceRouteOptions<R = HttpRequest> extends RouteBounds {
  /** Names the coalescer in errors, statistics and diagnostics. Default `route`. */
  readonly name?: string | undefined;
  /** Methods whose requests are shared; others run the handler. Others than GET and HEAD need `key`. Default GET, HEAD. */
  readonly methods?: readonly string[] | undefined;
  /**
   * Returns what equal requests have in common, instead of protocol, host and URL. Default: these three. The method, credentials,
   * `vary`, and conditional headers count in any case.
   */
  readonly key?: RequestKey<R> | undefined;
  /** Request headers that are part of the key. Default: none besides credentials and conditional headers. */
  readonly vary?: readonly string[] | undefined;
  /**
   * `true` states that the answer does not depend on the client: Authorization, Proxy-Authorization, Cookie, the client's
   * certificate and the fields in which proxies send it do not count, and a Set-Cookie is shared. Default `false`.
   */
  readonly shareCredentials?: boolean | undefined;
  /** Adds `x-coalesced: 1` to an answer that another request's handler made. Default `false`. */
  readonly header?: boolean | undefined;
}

type Bound = keyof RouteBounds;

/** Options that are checked by the coalescer. */
export type RouteCoalescerOptions = Pick<CoalescerOptions<string, unknown>, Bound> & {
  readonly name: string;
};

export interface ResolvedCoalesceRouteOptions<R> {
  readonly methods: ReadonlySet<string>;
  readonly key: RequestKey<R> | undefined;
  readonly vary: readonly string[];
  readonly shareCredentials: boolean;
  readonly header: boolean;
  readonly coalescer: RouteCoalescerOptions;
}

// A token of RFC 9110.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A list of names of request headers; none by default. */
export const someHeaderNames: Rule = {
  expected: 'a list of names of request headers',
  fallback: [],
  test: (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && name !== '*' && token.test(name)),
};

const someMethods: Rule = {
  expected: 'a list of methods of HTTP in capitals',
  fallback: ['GET', 'HEAD'],
  test: (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && /^[A-Z]+$/.test(name)),
};

/** Returns names of headers in lower case, each once. */
export function lowerCaseNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

const ofCoalescer: Rule = { expected: 'as of createCoalescer', test: () => true };

/** Options that the coalescer checks. */
export const boundRules: Readonly<Record<Bound, Rule>> = {
  maxKeys: ofCoalescer,
  maxWaitersPerKey: ofCoalescer,
  overflow: ofCoalescer,
  loadTimeoutMs: ofCoalescer,
  clock: ofCoalescer,
};

/** Returns the rule of a coalescer's name. */
export function nameOr(fallback: string): Rule {
  return { ...ofCoalescer, fallback };
}

const rules = {
  key: aFunction,
  methods: someMethods,
  vary: someHeaderNames,
  shareCredentials: { ...aFlag, fallback: false },
  header: { ...aFlag, fallback: false },
  name: nameOr('route'),
  ...boundRules,
} satisfies Record<keyof CoalesceRouteOptions, Rule>;

/**
 * Checks the methods of a route without the option `key`.
 *
 * @throws TypeError for a method with a body
 */
export function checkKeyless(action: string, methods: readonly string[]): void {
  const withBody = methods.find((method) => method !== 'GET' && method !== 'HEAD');
  if (withBody === undefined) return;
  throw new TypeError(
    `Cannot ${action}: method ${withBody} needs option \`key\`, unlike GET and HEAD`,
  );
}

type Resolved<R> = Omit<ResolvedCoalesceRouteOptions<R>, 'methods' | 'coalescer'> &
  RouteCoalescerOptions & { readonly methods: readonly string[] };

/**
 * Fills and checks the options of a coalesced route.
 *
 * @throws TypeError for a value of the wrong type, an unknown option, or a method with a body and no key
 */
export function resolveCoalesceRouteOptions<R>(
  options: CoalesceRouteOptions<R>,
): ResolvedCoalesceRouteOptions<R> {
  const { key, methods, vary, shareCredentials, header, ...coalescer } = resolveByRules<
    Resolved<R>
  >('coalesce a route', options, rules);
  if (key === undefined) checkKeyless('coalesce a route', methods);
  return {
    methods: new Set(methods),
    key,
    vary: lowerCaseNames(vary),
    shareCredentials,
    header,
    coalescer,
  };
}
