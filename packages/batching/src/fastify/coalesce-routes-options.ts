import { aFlag, aFunction, type Clock, type Rule, resolveByRules, showValue } from '@ticketing/kit';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { KeyValue } from '../canonical-key.ts';
import type { CoalescerOptions } from '../coalescer/coalescer.ts';

/** Options of `coalesceRoutes`. */
export interface CoalesceRoutesOptions {
  /** Names the coalescer in errors, statistics and diagnostics. Default `routes`. */
  readonly name?: string | undefined;
  /** Request headers that are part of every key, besides those that always are. Default: none. */
  readonly vary?: readonly string[] | undefined;
  /** Adds `x-coalesced: 1` to an answer that another request's handler made. Default `false`. */
  readonly header?: boolean | undefined;
  /** Most different requests in flight. Default 10,000. */
  readonly maxKeys?: number | undefined;
  /** Most equal requests in flight. Default 100,000. */
  readonly maxWaitersPerKey?: number | undefined;
  /** What happens to a request above a bound: 503, or a run of the handler of its own. Default `reject`. */
  readonly overflow?: 'reject' | 'bypass' | undefined;
  /** Milliseconds a handler may take, 1 to 2^31-1; then 504 to all that wait. Default: no limit. */
  readonly loadTimeoutMs?: number | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
}

type Bound = 'name' | 'maxKeys' | 'maxWaitersPerKey' | 'overflow' | 'loadTimeoutMs' | 'clock';

export interface ResolvedCoalesceRoutesOptions {
  readonly vary: readonly string[];
  readonly header: boolean;
  /** Checked by the coalescer. */
  readonly coalescer: Pick<CoalescerOptions<string, unknown>, Bound> & { readonly name: string };
}

// A token of RFC 9110.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const someHeaderNames: Rule = {
  expected: 'a list of names of request headers',
  fallback: [],
  test: (value) =>
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && name !== '*' && token.test(name)),
};

function lowerCaseNames(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

const ofCoalescer: Rule = { expected: 'as of createCoalescer', test: () => true };
const rules = {
  vary: someHeaderNames,
  header: { ...aFlag, fallback: false },
  name: { ...ofCoalescer, fallback: 'routes' },
  maxKeys: ofCoalescer,
  maxWaitersPerKey: ofCoalescer,
  overflow: ofCoalescer,
  loadTimeoutMs: ofCoalescer,
  clock: ofCoalescer,
} satisfies Record<keyof CoalesceRoutesOptions, Rule>;

/**
 * Fills and checks the options of the plugin.
 *
 * @throws TypeError for a value of the wrong type or an unknown option
 */
export function resolveCoalesceRoutesOptions(
  options: CoalesceRoutesOptions,
): ResolvedCoalesceRoutesOptions {
  const { vary, header, ...coalescer } = resolveByRules<
    Omit<ResolvedCoalesceRoutesOptions, 'coalescer'> & ResolvedCoalesceRoutesOptions['coalescer']
  >('register coalesceRoutes', options, rules);
  return { vary: lowerCaseNames(vary), header, coalescer };
}

/**
 * Returns what equal requests have in common. A function for requests with types, `FastifyRequest<{ Params: { id: string } }>`, is one,
 * too: it is declared as a method for that.
 */
export type RouteKey = { keyOf(request: FastifyRequest): KeyValue }['keyOf'];

/** `config.coalesce` of a route; `true` stands for `{}`. */
export interface RouteCoalesceOptions {
  /**
   * Returns what equal requests of this route have in common, instead of method, protocol, host and URL. Default: these four.
   * Credentials, `vary`, and conditional headers count in any case. Required for methods other than GET and HEAD.
   */
  readonly key?: RouteKey | undefined;
  /** Request headers that are part of the key, besides those of the plugin. Default: none. */
  readonly vary?: readonly string[] | undefined;
  /**
   * `true` states that the answer does not depend on the client: Authorization, Proxy-Authorization, Cookie, the client's
   * certificate and the fields in which proxies send it do not count, and a Set-Cookie is shared. Default `false`.
   */
  readonly shareCredentials?: boolean | undefined;
}

export interface ResolvedRouteCoalesceOptions {
  readonly key: RouteKey | undefined;
  readonly vary: readonly string[];
  readonly shareCredentials: boolean;
}

const routeRules = {
  key: aFunction,
  vary: someHeaderNames,
  shareCredentials: { ...aFlag, fallback: false },
};

/**
 * Fills and checks `config.coalesce` of a route; `undefined` if the route is not coalesced.
 *
 * @throws TypeError for a value of the wrong type, an unknown option, or a method with a body and no key
 */
export function resolveRouteCoalesceOptions(
  route: RouteOptions,
  vary: readonly string[],
): ResolvedRouteCoalesceOptions | undefined {
  const setting: unknown = route.config?.coalesce;
  if (setting === undefined || setting === false) return undefined;
  const methods = [route.method].flat();
  const action = `coalesce ${methods.join(', ')} ${route.url}`;
  if (setting !== true && (typeof setting !== 'object' || setting === null)) {
    throw new TypeError(
      `Cannot ${action}: \`config.coalesce\` must be true, false or options, got ${showValue(setting)}`,
    );
  }
  const options: RouteCoalesceOptions = setting === true ? {} : setting;
  const {
    key,
    vary: own,
    shareCredentials,
  } = resolveByRules<ResolvedRouteCoalesceOptions>(action, options, routeRules);
  const withBody = methods.find((method) => method !== 'GET' && method !== 'HEAD');
  if (key === undefined && withBody !== undefined) {
    throw new TypeError(
      `Cannot ${action}: method ${withBody} needs option \`key\`, unlike GET and HEAD`,
    );
  }
  return { key, vary: [...vary, ...lowerCaseNames(own)], shareCredentials };
}
