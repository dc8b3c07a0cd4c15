import {
  anyText,
  autoOr,
  carrierList,
  databaseUrl,
  httpUrl,
  integerFrom,
  latency,
  offOr,
  oneOf,
  onOff,
  routeBy,
} from './flag-values.ts';
import {
  ACCEPTS,
  CARRIER_NAMES,
  COALESCES,
  DISPATCH_NAMES,
  type Flags,
  type Latency,
  OFFLOADS,
} from './flags.ts';
import { hideSecrets } from './hide-secrets.ts';

/** What the command line and the environment say; counts may be left to the machine. */
export type Said = Omit<Flags, 'workers' | 'dispatchWorkers' | 'ouigo'> & {
  readonly workers: number | 'auto';
  readonly dispatchWorkers: number | 'auto';
};

/** One flag. */
export interface FlagSpec<T> {
  /** Without its dashes. Its variable is the same in capitals. */
  readonly name: string;
  /** @throws Error that says what is expected */
  readonly read: (text: string) => T;
  readonly fallback: T;
  /** What is shown when there is no value. */
  readonly absent?: string;
  /** What may be shown of a text that has secrets. */
  readonly hide?: (text: string) => string;
  /** A variable that means a value of this flag when it is `true`. */
  readonly also?: { readonly variable: string; readonly value: T };
}

export const MAX_WORKERS = 64;
const count = autoOr(integerFrom(1, MAX_WORKERS));

/** Every flag, in the order in which they are shown. */
export const flagSpecs: { readonly [K in keyof Said]: FlagSpec<Said[K]> } = {
  port: { name: 'port', read: integerFrom(0, 65_535), fallback: 3000 },
  host: { name: 'host', read: anyText, fallback: '127.0.0.1' },
  accept: { name: 'accept', read: oneOf(ACCEPTS), fallback: 'single' },
  workers: { name: 'workers', read: count, fallback: 'auto' },
  routeBy: { name: 'route-by', read: routeBy, fallback: 'search-key' },
  tlsCert: { name: 'tls-cert', read: anyText, fallback: undefined },
  tlsKey: { name: 'tls-key', read: anyText, fallback: undefined },
  dispatch: {
    name: 'dispatch',
    read: oneOf(DISPATCH_NAMES),
    fallback: 'in-process',
    also: { variable: 'USE_CHILD_PROCESSES', value: 'fork' },
  },
  dispatchWorkers: { name: 'dispatch-workers', read: count, fallback: 'auto' },
  offload: { name: 'offload', read: oneOf(OFFLOADS), fallback: 'whole' },
  coalesce: { name: 'coalesce', read: oneOf(COALESCES), fallback: 'on' },
  deadlineMs: { name: 'deadline-ms', read: integerFrom(1, 600_000), fallback: 2000 },
  requestTimeoutMs: {
    name: 'request-timeout-ms',
    read: integerFrom(100, 600_000),
    fallback: 30_000,
  },
  maxInFlight: {
    name: 'max-in-flight',
    read: offOr(autoOr(integerFrom(1, 10_000))),
    fallback: 'auto',
  },
  carriers: { name: 'carriers', read: carrierList(CARRIER_NAMES), fallback: CARRIER_NAMES },
  carriersUrl: {
    name: 'carriers-url',
    read: httpUrl,
    fallback: undefined,
    absent: 'embedded simulator',
  },
  latency: {
    name: 'latency',
    read: latency,
    fallback: { kind: 'fixed', ms: 50 } as Latency,
    also: { variable: 'USE_RANDOM_DELAY', value: { kind: 'random' } },
  },
  worms: { name: 'worms', read: integerFrom(0, 10_000_000), fallback: 20_000 },
  databaseUrl: {
    name: 'database-url',
    read: databaseUrl,
    fallback: undefined,
    absent: 'embedded SQLite',
    hide: hideSecrets,
  },
  logRequests: { name: 'log-requests', read: onOff, fallback: false },
};
