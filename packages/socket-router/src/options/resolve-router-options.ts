import type { RouteFunction } from '../contract/head.ts';
import type { RouterLimits, RouterOptions } from '../contract/router-options.ts';
import type { WorkerSource } from '../contract/worker-source.ts';
import {
  aFunction,
  anObject,
  between,
  milliseconds,
  oneOf,
  type Rules,
  resolveByRules,
  texts,
  wholeBetween,
  withMethods,
} from './option-rules.ts';
import { trustedProxies } from './trusted-proxies.ts';

const ACTION = 'create router';

const RULES: Rules = {
  mode: oneOf('socket', 'passthru'),
  workers: { ...withMethods('subscribe'), required: true },
  route: aFunction,
  affinity: oneOf('connection', 'forward', 'close'),
  balance: { ...anObject, fallback: {} },
  protocol: oneOf('http', 'tls-sni', 'auto'),
  proxyProtocol: {
    expected: 'an object or false',
    fallback: false,
    test: (value) => value === false || anObject.test(value),
  },
  limits: { ...anObject, fallback: {} },
};

const BALANCE_RULES: Rules = { loadFactor: between(1, Number.POSITIVE_INFINITY, 1.25) };

const PROXY_RULES: Rules = { trusted: { ...texts, required: true } };

const LIMIT_RULES: Rules = {
  headBytes: wholeBetween(64, 65_536, 16_384),
  headTimeoutMs: milliseconds(1, 10_000),
  pending: wholeBetween(1, Number.MAX_SAFE_INTEGER, 10_000),
  queuePerWorker: wholeBetween(1, Number.MAX_SAFE_INTEGER, 1000),
  maxWaitMs: milliseconds(1, 2000),
  claimTimeoutMs: milliseconds(10, 1000),
  stuckTimeoutMs: milliseconds(1, 10_000),
};

/** Options as the router uses them. */
export interface ResolvedRouterOptions {
  readonly mode: 'socket' | 'passthru';
  readonly workers: WorkerSource;
  readonly route: RouteFunction | undefined;
  readonly affinity: 'connection' | 'forward' | 'close';
  readonly loadFactor: number;
  readonly protocol: 'http' | 'tls-sni' | 'auto';
  /** Whether a connection from an address begins with a PROXY header. */
  readonly isProxy: (address: string | undefined) => boolean;
  readonly acceptsProxies: boolean;
  readonly limits: Required<RouterLimits>;
}

/**
 * Fills and checks a router's options.
 *
 * @throws TypeError for a value of the wrong type, an unknown option or options that exclude each other, RangeError
 * for a number out of range
 */
export function resolveRouterOptions(options: RouterOptions): ResolvedRouterOptions {
  const { mode, workers, route, affinity, balance, protocol, proxyProtocol, limits } =
    resolveByRules<Required<RouterOptions>>(ACTION, options, RULES);
  const { loadFactor } = resolveByRules<{ loadFactor: number }>(
    ACTION,
    balance,
    BALANCE_RULES,
    'balance',
  );
  const trusted =
    proxyProtocol === false
      ? []
      : resolveByRules<{ trusted: string[] }>(ACTION, proxyProtocol, PROXY_RULES, 'proxyProtocol')
          .trusted;
  const resolved: ResolvedRouterOptions = {
    mode,
    workers,
    route,
    affinity,
    loadFactor,
    protocol,
    isProxy: trustedProxies(ACTION, trusted),
    acceptsProxies: trusted.length > 0,
    limits: resolveByRules(ACTION, limits, LIMIT_RULES, 'limits'),
  };
  if (mode === 'passthru') refuseInPassthru(resolved);
  if (affinity === 'forward' && protocol !== 'http') {
    throw new TypeError(
      `Cannot ${ACTION}: protocol must be http with affinity forward, got ${protocol}`,
    );
  }
  return resolved;
}

/** A proxy has to read requests, and decides on each of them. */
function refuseInPassthru({ protocol, affinity }: ResolvedRouterOptions): void {
  if (protocol !== 'http') {
    throw new TypeError(
      `Cannot ${ACTION}: protocol must be http in mode passthru, got ${protocol}`,
    );
  }
  if (affinity !== 'connection') {
    throw new TypeError(
      `Cannot ${ACTION}: affinity must be connection in mode passthru, got ${affinity}`,
    );
  }
}
