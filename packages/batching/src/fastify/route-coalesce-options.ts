import type { FastifyRequest, RouteOptions } from 'fastify';
import type { KeyValue } from '../coalescer.ts';
import { textOf } from '../option-rules.ts';
import { headerNames } from './header-names.ts';

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
    throw new TypeError(`Cannot ${action}: true, false or options expected, got ${textOf(said)}`);
  }
  const options: RouteCoalesceOptions = said === true ? {} : said;
  const { key, vary: own = [], shareCredentials = false, ...rest } = options;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new TypeError(`Cannot ${action}: known options expected, got ${unknown}`);
  }
  if (key !== undefined && typeof key !== 'function') {
    throw new TypeError(`Cannot ${action}: key as a function expected, got ${textOf(key)}`);
  }
  if (typeof shareCredentials !== 'boolean') {
    throw new TypeError(
      `Cannot ${action}: shareCredentials as true or false expected, got ${textOf(shareCredentials)}`,
    );
  }
  const withBody = methods.find((method) => method !== 'GET' && method !== 'HEAD');
  if (key === undefined && withBody !== undefined) {
    throw new TypeError(
      `Cannot ${action}: GET, HEAD or option key expected, got ${withBody} without key`,
    );
  }
  return { key, vary: [...vary, ...headerNames(action, own)], shareCredentials };
}
