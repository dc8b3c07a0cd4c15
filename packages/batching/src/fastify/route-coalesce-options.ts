import { aFlag, aFunction, resolveByRules, showValue } from '@ticketing/kit';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { KeyValue } from '../coalescer/coalescer.ts';
import { lowerCaseNames, someHeaderNames } from './header-names.ts';

/** What a route says in `config.coalesce`; `true` stands for `{}`. */
export interface RouteCoalesceOptions {
  /**
   * What equal requests of this route are recognised by, instead of method, host and URL. Default: these three.
   * Credentials, `vary`, and conditional headers count all the same. Needed for other methods than GET and HEAD.
   */
  readonly key?: (request: FastifyRequest) => KeyValue;
  /** Request headers that are part of the key, besides those of the plugin. Default: none. */
  readonly vary?: readonly string[];
  /**
   * `true` states that the answer is the same whoever asks: requests are equal whatever their
   * Authorization, Proxy-Authorization and Cookie, and a Set-Cookie is shared. Default `false`.
   */
  readonly shareCredentials?: boolean;
}

export interface ResolvedRouteCoalesceOptions {
  readonly key: ((request: FastifyRequest) => KeyValue) | undefined;
  readonly vary: readonly string[];
  readonly shareCredentials: boolean;
}

const rules = {
  key: aFunction,
  vary: someHeaderNames,
  shareCredentials: { ...aFlag, fallback: false },
};

/**
 * Fills and checks what a route says of coalescing; `undefined` if it does not take part.
 *
 * @throws TypeError for a value of the wrong type, an unknown option, or a method whose body no key tells of
 */
export function resolveRouteCoalesceOptions(
  route: RouteOptions,
  vary: readonly string[],
): ResolvedRouteCoalesceOptions | undefined {
  const said: unknown = route.config?.coalesce;
  if (said === undefined || said === false) return undefined;
  const methods = [route.method].flat();
  const action = `coalesce ${methods.join(', ')} ${route.url}`;
  if (said !== true && (typeof said !== 'object' || said === null)) {
    throw new TypeError(
      `Cannot ${action}: true, false or options expected, got ${showValue(said)}`,
    );
  }
  const options: RouteCoalesceOptions = said === true ? {} : said;
  const {
    key,
    vary: own,
    shareCredentials,
  } = resolveByRules<ResolvedRouteCoalesceOptions>(action, options, rules);
  const withBody = methods.find((method) => method !== 'GET' && method !== 'HEAD');
  if (key === undefined && withBody !== undefined) {
    throw new TypeError(
      `Cannot ${action}: GET, HEAD or option key expected, got ${withBody} without key`,
    );
  }
  return { key, vary: [...vary, ...lowerCaseNames(own)], shareCredentials };
}
