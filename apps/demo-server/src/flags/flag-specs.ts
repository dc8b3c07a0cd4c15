import { CARRIER_NAMES, type CarrierName } from '../search/carriers.ts';
import { DISPATCH_NAMES, type DispatchName } from '../search/dispatch.ts';
import {
  anyText,
  autoOr,
  carrierList,
  databaseUrl,
  hideSecrets,
  httpUrl,
  integerFrom,
  type Latency,
  latency,
  offOr,
  oneOf,
  onOff,
  type RouteBy,
  routeBy,
} from './flag-values.ts';

export const ACCEPTS = ['single', 'cluster', 'passthru', 'socket'] as const;
export type Accept = (typeof ACCEPTS)[number];

export const OFFLOADS = ['whole', 'normalise'] as const;
export type Offload = (typeof OFFLOADS)[number];

export const COALESCES = ['on', 'machine', 'off'] as const;
export type Coalesce = (typeof COALESCES)[number];

export interface FlagSpec<T> {
  /** Without its dashes. Its variable is the same in capitals. */
  readonly name: string;
  /** @throws Error whose message says what the value must be */
  readonly read: (text: string) => T;
  readonly fallback: T;
  /** Shown when there is no value. */
  readonly absent?: string;
  /** Removes the secrets of a text that is shown. */
  readonly hide?: (text: string) => string;
  /** A variable that sets the flag to `value` when it is `true`. */
  readonly also?: { readonly variable: string; readonly value: T };
}

export const MAX_WORKERS = 64;
const count = autoOr(integerFrom(1, MAX_WORKERS));

function flag<T>(spec: FlagSpec<T>): FlagSpec<T> {
  return spec;
}

/** Every flag, in the order of the table that is printed. The types of the settings follow from the rows. */
export const flagSpecs = {
  port: flag({ name: 'port', read: integerFrom(0, 65_535), fallback: 3000 }),
  host: flag({ name: 'host', read: anyText, fallback: '127.0.0.1' }),
  /** How connections reach the server processes. */
  accept: flag<Accept>({ name: 'accept', read: oneOf(ACCEPTS), fallback: 'single' }),
  /** Server processes. */
  workers: flag<number | 'auto'>({ name: 'workers', read: count, fallback: 'auto' }),
  /** What a router chooses the process by: equal searches, equal values of a header, or nothing. */
  routeBy: flag<RouteBy>({ name: 'route-by', read: routeBy, fallback: 'search-key' }),
  /** Paths of PEM files. With them the server speaks HTTPS. */
  tlsCert: flag<string | undefined>({ name: 'tls-cert', read: anyText, fallback: undefined }),
  tlsKey: flag<string | undefined>({ name: 'tls-key', read: anyText, fallback: undefined }),
  /** Where carriers' work runs. */
  dispatch: flag<DispatchName>({
    name: 'dispatch',
    read: oneOf(DISPATCH_NAMES),
    fallback: 'in-process',
    also: { variable: 'USE_CHILD_PROCESSES', value: 'fork' },
  }),
  /** Workers of the dispatcher of each server process; in-process has one. */
  dispatchWorkers: flag<number | 'auto'>({
    name: 'dispatch-workers',
    read: count,
    fallback: 'auto',
  }),
  /** What the dispatcher runs: all of a carrier's work, or only the decoding of its bytes. */
  offload: flag<Offload>({ name: 'offload', read: oneOf(OFFLOADS), fallback: 'whole' }),
  /** Whether equal searches in flight share one run: in each server process, or on the whole machine. */
  coalesce: flag<Coalesce>({ name: 'coalesce', read: oneOf(COALESCES), fallback: 'on' }),
  deadlineMs: flag({ name: 'deadline-ms', read: integerFrom(1, 600_000), fallback: 2000 }),
  /** A request, with its body, must arrive within this time. */
  requestTimeoutMs: flag({
    name: 'request-timeout-ms',
    read: integerFrom(100, 600_000),
    fallback: 30_000,
  }),
  /** Most requests in flight in a server process. `auto`: as many as it can answer in time. */
  maxInFlight: flag<number | 'auto' | 'off'>({
    name: 'max-in-flight',
    read: offOr(autoOr(integerFrom(1, 10_000))),
    fallback: 'auto',
  }),
  carriers: flag<readonly CarrierName[]>({
    name: 'carriers',
    read: carrierList(CARRIER_NAMES),
    fallback: CARRIER_NAMES,
  }),
  /** Base URL of the carriers. Default: the embedded simulator. */
  carriersUrl: flag<string | undefined>({
    name: 'carriers-url',
    read: httpUrl,
    fallback: undefined,
    absent: 'embedded simulator',
  }),
  latency: flag<Latency>({
    name: 'latency',
    read: latency,
    fallback: { kind: 'fixed', ms: 50 } as Latency,
    also: { variable: 'USE_RANDOM_DELAY', value: { kind: 'random' } },
  }),
  /** Documents that the store is filled with. */
  worms: flag({ name: 'worms', read: integerFrom(0, 10_000_000), fallback: 20_000 }),
  /** Database that holds them, password included. Default: SQLite in a temporary file. */
  databaseUrl: flag<string | undefined>({
    name: 'database-url',
    read: databaseUrl,
    fallback: undefined,
    absent: 'embedded SQLite',
    hide: hideSecrets,
  }),
  logRequests: flag({ name: 'log-requests', read: onOff, fallback: false }),
} as const;

/** Settings as stated by the command line and the environment: counts may be `auto`. */
export type Stated = {
  readonly [K in keyof typeof flagSpecs]: (typeof flagSpecs)[K] extends FlagSpec<infer T>
    ? T
    : never;
};

/** Every setting of the server, checked. */
export type Flags = Omit<Stated, 'workers' | 'dispatchWorkers'> & {
  readonly workers: number;
  readonly dispatchWorkers: number;
  readonly ouigo: { readonly username: string; readonly password: string };
};

/** A value, and where it comes from: a flag, a variable, or `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly from: string;
}

export type Settings = { readonly [K in keyof Stated]: Setting<Stated[K]> };
