import { aFlag, aFunction, type Rule, resolveByRules, showValue } from '@ticketing/kit';
import type { FastifyRequest, RouteOptions } from 'fastify';
import {
  boundRules,
  checkKeyless,
  lowerCaseNames,
  nameOr,
  type RequestKey,
  type RouteBounds,
  type RouteCoalescerOptions,
  someHeaderNames,
} from '../http/routes/route-options.ts';

/** Options of `coalesceRoutes`. */
export interface CoalesceRoutesOptions extends RouteBounds {
  /** Names the coalescer in errors, statistics and diagnostics. Default `routes`. */
  readonly name?: string | undefined;
  /** Request headers that are part of every key, besides credentials and conditional headers. Default: none. */
  readonly vary?: readonly string[] | undefined;
  /** Adds `x-coalesced: 1` to an answer that another request's handler made. Default `false`. */
  readonly header?: boolean | undefined;
}

export interface ResolvedCoalesceRoutesOptions {
  readonly vary: readonly string[];
  readonly header: boolean;
  /** Checked by the coalescer. */
  readonly coalescer: RouteCoalescerOptions;
}

const rules = {
  vary: someHeaderNames,
  header: { ...aFlag, fallback: false },
  name: nameOr('routes'),
  ...boundRules,
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

/** Returns the part that equal requests have in common, also of requests with types: `FastifyRequest<{ Params: { id: string } }>`. */
export type RouteKey = RequestKey<FastifyRequest>;

/** `config.coalesce` of a route; `true` stands for `{}`. */
export interface RouteCoalesceOptions {
  /**
   * Returns what equal requests of this route have in common, instead of method, protocol, host and URL. Default: these four.
   * Credentials, `vary`, and conditional headers count in any case. Required for methods other than GET and HEAD.
   */
  readonly key?: RouteKey | undefined;
  /** Request headers that are part of the key, besides the plugin's own. Default: none. */
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
  if (key === undefined) checkKeyless(action, methods);
  return { key, vary: [...vary, ...lowerCaseNames(own)], shareCredentials };
}
