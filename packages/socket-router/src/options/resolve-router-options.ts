import { BlockList, isIP } from 'node:net';
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
} from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';
import type { RouterLimits, RouterOptions } from '../contract/router-options.ts';
import type { WorkerSource } from '../contract/worker-source.ts';

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

/**
 * Makes the check whether an address is one of the proxies', given as addresses and subnets (`10.0.0.0/8`).
 *
 * @throws TypeError for a text that is neither
 */
function trustedProxies(
  action: string,
  trusted: readonly string[],
): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of trusted) addEntry(action, list, entry);
  return (address) => address !== undefined && isListed(list, address);
}

function addEntry(action: string, list: BlockList, entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  const bits = prefix === undefined ? undefined : Number(prefix);
  const isPrefix =
    bits === undefined || (/^\d{1,3}$/.test(prefix ?? '') && bits <= (version === 6 ? 128 : 32));
  if (version === 0 || rest.length > 0 || !isPrefix) {
    throw new TypeError(
      `Cannot ${action}: proxyProtocol.trusted must be a list of addresses and subnets, got ${entry}`,
    );
  }
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, bits, family);
}

function isListed(list: BlockList, address: string): boolean {
  // A socket that listens on :: shows IPv4 clients as ::ffff:10.0.0.1.
  const plain =
    address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  const version = isIP(plain);
  return version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}
