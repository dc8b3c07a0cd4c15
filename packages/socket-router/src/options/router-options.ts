import { BlockList, isIP } from 'node:net';
import {
  aFlag,
  aFunction,
  anObject,
  aUrl,
  between,
  milliseconds,
  oneOf,
  optionsOf,
  type Rules,
  required,
  resolveByRules,
  texts,
  whole,
  wholeBetween,
  withMethods,
} from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';
import type { WorkerSource } from '../contract/worker-source.ts';
import { sharedSlot } from '../errors.ts';

/** Options of `createSocketRouter`. */
export interface RouterOptions {
  /**
   * `socket` (default): the worker gets the socket and the router leaves the data path; `passthru`: the router stays
   * and proxies each request to a worker's unix socket.
   */
  readonly mode?: 'socket' | 'passthru' | undefined;
  /** Sources of workers. Several ones have different slots: see `slotPrefix` of `forkWorkers`. */
  readonly workers: WorkerSource | readonly WorkerSource[];
  /** Function that routes by the head. Default: each connection, or each request in mode `passthru`, goes to the least loaded worker. */
  readonly route?: RouteFunction | undefined;
  /**
   * A path, such as `/healthz`, which the router answers itself: 200 once each slot has had a worker that serves, as for
   * `ready()`, and while at least one does; else, and when it closes, 503. Asked on a new connection: what comes on
   * one that a worker has is the worker's. Default: none.
   */
  readonly health?: string | undefined;
  /**
   * Destination of later requests on a connection in mode `socket`: `connection`: the same worker; `forward`: the worker of
   * their own key, to which the first worker proxies them; `close`: none, because a connection that was routed by a key or
   * to a slot closes after its first request. Required with `route` and requests that the router reads (`protocol` http or
   * auto): a balancer sends requests of many clients on one connection, and with `connection` all of them reach the worker of the
   * first. Without `route` the default is `connection`.
   */
  readonly laterRequests?: 'connection' | 'forward' | 'close' | undefined;
  readonly balance?: BalanceOptions | undefined;
  /**
   * Protocol of clients: `http` (default), `tls-sni` (the worker's server ends the TLS), `auto` (either), or `tcp`: anything.
   * With `tcp` a worker gets the connection as soon as it is accepted, and unread: `route` sees addresses alone, no head is
   * checked, and what is refused is closed without an answer.
   */
  readonly protocol?: 'http' | 'tls-sni' | 'auto' | 'tcp' | undefined;
  /** Addresses or subnets (`10.0.0.0/8`) whose connections begin with a PROXY header, version 1 or 2. Default false. */
  readonly proxyProtocol?: { readonly trusted: readonly string[] } | false | undefined;
  readonly limits?: RouterLimits | undefined;
  /**
   * True: SIGTERM and SIGINT to this process close the router, and with it its workers, and SIGHUP reloads sources that
   * can. Further signals change nothing. The process then ends with 0, if nothing else holds it. Default false: the
   * program handles signals.
   */
  readonly signals?: boolean | undefined;
}

/** Bounds of the spread of keys over workers. */
export interface BalanceOptions {
  /**
   * A key leaves its worker while the worker has more than 8 connections and more than this times the mean, or its queue
   * is full: 1 to Infinity. Default Infinity: equal keys stay together, and get 503 when the queue of their worker is full.
   * 1.25 spreads a key that is asked for more often than one worker can answer.
   */
  readonly loadFactor?: number | undefined;
}

/** Bounds of what a router holds. Times are in milliseconds. */
export interface RouterLimits {
  /**
   * Longest head or ClientHello in bytes: 64 to 65,536, default 16,384, which is Node's own limit: for longer heads the
   * workers' servers need `maxHeaderSize`. Also the longest head of an answer that is proxied: 502.
   */
  readonly headBytes?: number | undefined;
  /** Longest time for a head: default 10,000. */
  readonly headTimeoutMs?: number | undefined;
  /** Connections that the router holds: default 10,000. */
  readonly pending?: number | undefined;
  /** Connections that wait for one worker, and, per worker, connections that wait for any: default 1,000. */
  readonly queuePerWorker?: number | undefined;
  /**
   * Longest wait for a worker: default 2,000, from the end of the head (with `tcp` from the arrival) until a worker has claimed the
   * connection, in mode `passthru` the request, also while no worker is ready or each one is stopped or busy. Then it gets 503
   * with `Retry-After`; with `tcp` it is closed. A connection that comes while the first of a queue has waited for half of it
   * gets 503 at once. A request that a worker has claimed may last as long as the worker needs.
   */
  readonly maxWaitMs?: number | undefined;
  /** Milliseconds for a worker to claim a connection before it goes to another: 10 or more, default 1,000. */
  readonly claimTimeoutMs?: number | undefined;
  /**
   * Milliseconds after which a worker is replaced if it claims no connection, counted once a connection went unclaimed for
   * `claimTimeoutMs`. Default 10,000. The worker may be stopped, busy, or out of descriptors; after the latter Node never
   * hands it a socket again. Its source lets it finish the requests in flight.
   */
  readonly stuckTimeoutMs?: number | undefined;
}

const ACTION = 'create router';

const aSource = withMethods('subscribe');

function isSourceList(value: readonly unknown[]): boolean {
  return value.length > 0 && value.every((one) => aSource.test(one));
}

const BALANCE_RULES: Rules = {
  loadFactor: between(1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
};

const LIMIT_RULES: Rules = {
  headBytes: wholeBetween(64, 65_536, 16_384),
  headTimeoutMs: milliseconds(1, 10_000),
  pending: whole(10_000),
  queuePerWorker: whole(1000),
  maxWaitMs: milliseconds(1, 2000),
  claimTimeoutMs: milliseconds(10, 1000),
  stuckTimeoutMs: milliseconds(1, 10_000),
};

const RULES: Rules = {
  mode: oneOf('socket', 'passthru'),
  workers: required({
    expected: `${aSource.expected}, or a list of them`,
    test: (value) => aSource.test(value) || (Array.isArray(value) && isSourceList(value)),
  }),
  route: aFunction,
  health: {
    expected: 'a path that begins with / and has no query',
    test: (value) => typeof value === 'string' && /^\/[^\s?#]*$/.test(value),
  },
  laterRequests: oneOf('connection', 'forward', 'close'),
  balance: optionsOf(BALANCE_RULES),
  protocol: oneOf('http', 'tls-sni', 'auto', 'tcp'),
  proxyProtocol: {
    expected: 'an object or false',
    fallback: false,
    test: (value) => value === false || anObject.test(value),
  },
  limits: optionsOf(LIMIT_RULES),
  signals: { ...aFlag, fallback: false },
};

const PROXY_RULES: Rules = { trusted: required(texts) };

/** Options with all their values. */
type Filled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

type Chosen = Filled<Pick<RouterOptions, 'mode' | 'laterRequests' | 'protocol'>>;

/** Options as the router uses them. */
export interface ResolvedRouterOptions extends Chosen {
  readonly workers: readonly WorkerSource[];
  readonly route: RouteFunction | undefined;
  readonly health: string | undefined;
  readonly signals: boolean;
  readonly loadFactor: number;
  /** Returns whether a connection from an address must begin with a PROXY header; `undefined` if none must. */
  readonly isProxy: ((address: string | undefined) => boolean) | undefined;
  readonly limits: Filled<RouterLimits>;
}

/**
 * Checks a router's options and fills in the defaults.
 *
 * @throws TypeError for a value of the wrong type, an unknown option or options that exclude each other, RangeError
 * for a number out of range
 */
export function resolveRouterOptions(options: RouterOptions): ResolvedRouterOptions {
  if (aUrl.test(Object(options).workers)) {
    throw new TypeError(
      `Cannot ${ACTION}: \`workers\` must be a source of workers, got a URL; use \`forkWorkers(url, n)\``,
    );
  }
  const { workers, balance, proxyProtocol, limits, ...others } = resolveByRules<
    Filled<RouterOptions>
  >(ACTION, options, RULES);
  const { loadFactor } = resolveByRules<{ loadFactor: number }>(
    ACTION,
    balance,
    BALANCE_RULES,
    'balance',
  );
  const { trusted } = proxyProtocol
    ? resolveByRules<{ trusted: string[] }>(ACTION, proxyProtocol, PROXY_RULES, 'proxyProtocol')
    : { trusted: [] };
  const resolved: ResolvedRouterOptions = {
    ...others,
    workers: Array.isArray(workers) ? workers : [workers as WorkerSource],
    loadFactor,
    isProxy: trusted.length > 0 ? trustedProxies(trusted) : undefined,
    limits: resolveByRules(ACTION, limits, LIMIT_RULES, 'limits'),
  };
  const { mode, protocol, laterRequests, health } = resolved;
  checkSources(resolved.workers);
  // A proxy has to read requests, and decides on each of them.
  if (mode === 'passthru') {
    requireValue('protocol', protocol, 'http', 'with `mode` passthru');
    requireValue('laterRequests', laterRequests, 'connection', 'with `mode` passthru');
  }
  if (options.laterRequests === undefined && mode === 'socket') checkLaterRequests(resolved);
  if (laterRequests === 'forward')
    requireValue('protocol', protocol, 'http', 'with `laterRequests` forward');
  // It reads no requests over TLS, and none with `tcp`.
  if (health !== undefined && (protocol === 'tls-sni' || protocol === 'tcp'))
    requireValue('protocol', protocol, 'http or auto', 'with `health`');
  return resolved;
}

function checkSources(sources: readonly WorkerSource[]): void {
  if (sources.some(({ connections }) => connections === 'shared')) {
    throw new TypeError(
      `Cannot ${ACTION}: \`workers\` must be a supervisor with \`connections: 'external'\`, got one whose workers listen themselves`,
    );
  }
  const slots = sources.flatMap((source) => [...new Set(source.slots)]);
  const shared = slots.find((slot, index) => slots.indexOf(slot) !== index);
  if (shared !== undefined) throw sharedSlot(shared);
}

/** Requires `laterRequests` with `route`: without it any worker answers any request, and requests inside TLS, or of other protocols, are not seen. */
function checkLaterRequests({ route, protocol }: ResolvedRouterOptions): void {
  if (route === undefined || (protocol !== 'http' && protocol !== 'auto')) return;
  const choices = protocol === 'http' ? 'forward, close or connection' : 'close or connection';
  throw new TypeError(
    `Cannot ${ACTION}: \`laterRequests\` must be ${choices} with \`route\`, got undefined; a balancer sends requests of many clients on one connection, and with connection all of them go where the first one goes`,
  );
}

function requireValue(option: string, value: string, expected: string, when: string): void {
  if (value === expected) return;
  throw new TypeError(`Cannot ${ACTION}: \`${option}\` must be ${expected} ${when}, got ${value}`);
}

/**
 * Returns a function that finds whether an address is in a list of addresses and subnets (`10.0.0.0/8`).
 *
 * @throws TypeError for a text that is neither
 */
function trustedProxies(trusted: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const entry of trusted) addEntry(list, entry);
  return (address) => address !== undefined && isListed(list, address);
}

function addEntry(list: BlockList, entry: string): void {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  const bits = prefix === undefined ? undefined : Number(prefix);
  const isPrefix =
    bits === undefined || (/^\d{1,3}$/.test(prefix ?? '') && bits <= (version === 6 ? 128 : 32));
  if (version === 0 || rest.length > 0 || !isPrefix) {
    throw new TypeError(
      `Cannot ${ACTION}: \`proxyProtocol.trusted\` must be a list of addresses and subnets, got ${entry}`,
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
