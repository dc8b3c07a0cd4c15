import {
  anyText,
  type Settings as CommandSettings,
  type Stated as CommandStated,
  flag,
  httpUrl,
  integerFrom,
  oneOf,
  onOff,
  share,
  someOf,
  wordOr,
} from '@ticketing/cli-kit';
import { CARRIER_NAMES, type CarrierName } from '../carriers/carriers.ts';
import type { HubSetting } from '../hubs/hubs-between.ts';
import type { KeepSettings } from '../kept/keep-settings.ts';
import { DISPATCH_NAMES, type DispatchName } from './dispatch-kinds.ts';
import {
  databaseUrl,
  fleetName,
  hostNames,
  keepTimes,
  type Latency,
  latency,
  natsUrl,
  type RouteBy,
  redisUrl,
  routeBy,
  secret,
  showKeepTimes,
  showLatency,
} from './flag-values.ts';
import { hedged, type Rates, rates, searchedDays, showHedged, showRates } from './guard-values.ts';
import { hubs, showHubs, usualHubs } from './hub-values.ts';

export const ACCEPTS = ['single', 'cluster', 'passthru', 'socket'] as const;
export type Accept = (typeof ACCEPTS)[number];

const OFFLOADS = ['whole', 'normalise', 'search'] as const;
type Offload = (typeof OFFLOADS)[number];

export const COALESCES = ['on', 'machine', 'fleet', 'shared', 'off'] as const;
export type Coalesce = (typeof COALESCES)[number];

const OPERATORS = ['on', 'read', 'off'] as const;
export type Operator = (typeof OPERATORS)[number];

export const MAX_WORKERS = 64;
const count = wordOr('auto', integerFrom(1, MAX_WORKERS));

/** Every flag, in the order of the help. The types of the settings follow from the rows. */
export const flagSpecs = {
  port: flag({
    name: 'port',
    about: 'Port to listen on; 0 is any that is free',
    value: integerFrom(0, 65_535),
    fallback: 3000,
  }),
  host: flag({
    name: 'host',
    about: 'Host name or address to listen on',
    value: anyText,
    fallback: '127.0.0.1',
  }),
  allowedHosts: flag<readonly string[] | undefined>({
    name: 'allowed-hosts',
    about: 'Names by which clients reach a loopback --host, beside localhost: those of a proxy',
    value: hostNames,
    fallback: undefined,
  }),
  accept: flag<Accept>({
    name: 'accept',
    about: 'How connections reach the server processes',
    value: oneOf(ACCEPTS),
    fallback: 'single',
  }),
  workers: flag<number | 'auto'>({
    name: 'workers',
    about: 'Server processes; auto is one per core',
    value: count,
    fallback: 'auto',
  }),
  routeBy: flag<RouteBy>({
    name: 'route-by',
    about:
      'What a router chooses the process by: equal searches, equal values of a header, nothing',
    value: routeBy,
    fallback: 'search-key',
  }),
  tlsCert: flag<string | undefined>({
    name: 'tls-cert',
    about: 'Path of the certificate, PEM; with its key the server speaks HTTPS',
    value: anyText,
    fallback: undefined,
  }),
  tlsKey: flag<string | undefined>({
    name: 'tls-key',
    about: "Path of the certificate's key, PEM",
    value: anyText,
    fallback: undefined,
  }),
  dispatch: flag<DispatchName>({
    name: 'dispatch',
    about: "Where carriers' work runs",
    value: oneOf(DISPATCH_NAMES),
    fallback: 'in-process',
    also: { variable: 'USE_CHILD_PROCESSES', value: 'fork' },
  }),
  dispatchWorkers: flag<number | 'auto'>({
    name: 'dispatch-workers',
    about: 'Workers of the dispatcher of each server process; in-process has one',
    value: count,
    fallback: 'auto',
  }),
  natsUrl: flag<string | undefined>({
    name: 'nats-url',
    about:
      'NATS servers of a fleet, password included; --dispatch nats starts one if there is none',
    value: natsUrl,
    fallback: undefined,
  }),
  fleet: flag({
    name: 'fleet',
    about: 'Name of the fleet that this server belongs to',
    value: fleetName,
    fallback: 'demo',
  }),
  zone: flag<string | undefined>({
    name: 'zone',
    about: 'Where this server is: hosts of the same zone are asked first',
    value: fleetName,
    fallback: undefined,
  }),
  fallback: flag<number | 'off'>({
    name: 'fallback',
    about: "Most of carriers' tasks that run in a server process while the fleet has no host",
    value: wordOr('off', integerFrom(1, 10_000)),
    fallback: 64,
  }),
  offload: flag<Offload>({
    name: 'offload',
    about:
      "What the dispatcher runs: a carrier's whole work, the decoding of its bytes, or whole searches",
    value: oneOf(OFFLOADS),
    fallback: 'whole',
  }),
  coalesce: flag<Coalesce>({
    name: 'coalesce',
    about:
      'Whether equal searches in flight share one: per server process, machine, fleet, Redis, never',
    value: oneOf(COALESCES),
    fallback: 'on',
  }),
  redisUrl: flag<string | undefined>({
    name: 'redis-url',
    about: 'Redis or Valkey of --coalesce shared, password included',
    value: redisUrl,
    fallback: undefined,
  }),
  redisTimeoutMs: flag({
    name: 'redis-timeout-ms',
    about: 'Time that Redis may take for a command; then a process searches for itself',
    value: integerFrom(1, 60_000),
    fallback: 50,
  }),
  keep: flag<KeepSettings | 'off'>({
    name: 'keep',
    about: "How long carriers' answers are given again: fresh, then stale while they are renewed",
    value: keepTimes,
    fallback: 'off',
    show: showKeepTimes,
  }),
  httpCache: flag<KeepSettings | 'off'>({
    name: 'http-cache',
    about: 'How long caches before the server may keep complete answers: fresh, then stale',
    value: keepTimes,
    fallback: 'off',
    show: showKeepTimes,
  }),
  deadlineMs: flag({
    name: 'deadline-ms',
    about: 'Time that a whole search may take, and a question to the store',
    value: integerFrom(1, 600_000),
    fallback: 2000,
  }),
  requestTimeoutMs: flag({
    name: 'request-timeout-ms',
    about: 'Time within which a request, with its body, must arrive',
    value: integerFrom(100, 600_000),
    fallback: 30_000,
  }),
  maxInFlight: flag<number | 'auto' | 'off'>({
    name: 'max-in-flight',
    about: 'Most requests in flight per server process; auto is as many as it answers in time',
    value: wordOr('off', wordOr('auto', integerFrom(1, 10_000))),
    fallback: 'auto',
  }),
  pageKey: flag<string | undefined>({
    name: 'page-key',
    about: 'Secret that proves pages of searches; the same for servers behind one balancer',
    value: secret,
    fallback: undefined,
    absent: 'made at each start',
  }),
  carriers: flag<readonly CarrierName[]>({
    name: 'carriers',
    about: 'Carriers that are asked',
    value: someOf(CARRIER_NAMES),
    fallback: CARRIER_NAMES,
    show: (value) => (value.length === CARRIER_NAMES.length ? 'all' : value.join()),
  }),
  calendarDays: flag<readonly CarrierName[]>({
    name: 'calendar-days',
    about: 'Carriers of which a calendar searches each day that nothing else knows, two at a time',
    value: searchedDays,
    fallback: [],
    show: showHedged,
  }),
  hubs: flag<readonly HubSetting[]>({
    name: 'hubs',
    about: 'Where searches with split=1 look for two tickets, and the least minutes of a change',
    value: hubs,
    fallback: usualHubs,
    show: showHubs,
  }),
  guard: flag({
    name: 'guard',
    about: 'Whether a guard stands before each carrier: a circuit, pauses, retries by a budget',
    value: onOff,
    fallback: true,
  }),
  rate: flag<Rates>({
    name: 'rate',
    about: 'Most questions to a carrier, per second and at once; public is what public ones bear',
    value: rates,
    fallback: {},
    show: showRates,
  }),
  hedge: flag<readonly CarrierName[]>({
    name: 'hedge',
    about: 'Carriers that are asked once more if slow; all leaves out those that need many calls',
    value: hedged,
    fallback: [],
    show: showHedged,
  }),
  carriersUrl: flag<string | undefined>({
    name: 'carriers-url',
    about: 'Base URL of the carriers',
    value: httpUrl,
    fallback: undefined,
    absent: 'embedded simulator',
  }),
  gtfsFile: flag<string | undefined>({
    name: 'gtfs',
    about: 'Zip of a GTFS timetable for the carrier gtfs, whose ids of stops are UIC codes',
    value: anyText,
    fallback: undefined,
    absent: 'trains of the simulator',
  }),
  ratesFile: flag<string | undefined>({
    name: 'rates',
    about: 'File of exchange rates, JSON, by which prices are converted; read again if it changes',
    value: anyText,
    fallback: undefined,
  }),
  latency: flag<Latency>({
    name: 'latency',
    about: 'Latency of the embedded simulator',
    value: latency,
    fallback: { kind: 'fixed', ms: 50 } as Latency,
    also: { variable: 'USE_RANDOM_DELAY', value: { kind: 'random' } },
    show: showLatency,
  }),
  worms: flag({
    name: 'worms',
    about: 'Documents that the store is filled with; 0 opens no store',
    value: integerFrom(0, 10_000_000),
    fallback: 20_000,
  }),
  databaseUrl: flag<string | undefined>({
    name: 'database-url',
    about: 'Database that holds them, password included',
    value: databaseUrl,
    fallback: undefined,
    absent: 'embedded SQLite',
  }),
  operator: flag<Operator | 'auto'>({
    name: 'operator',
    about:
      'What /operator may do: all, only show, nothing; auto is on for a loopback --host, or read',
    value: wordOr('auto', oneOf(OPERATORS)),
    fallback: 'auto',
  }),
  otel: flag<string | undefined>({
    name: 'otel',
    about:
      'Base URL of an OpenTelemetry collector, which gets traces and metrics by OTLP over HTTP',
    value: httpUrl,
    fallback: undefined,
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  }),
  otelSample: flag({
    name: 'otel-sample',
    about: 'Share of the traces that are kept; a trace that a client began follows the client',
    value: share,
    fallback: 1,
  }),
  logRequests: flag({
    name: 'log-requests',
    about: 'Writes a line per request to standard output',
    value: onOff,
    fallback: false,
  }),
  showFlags: flag({
    name: 'show-flags',
    about: 'Prints every flag at start, not only those that are not defaults',
    value: onOff,
    bare: true,
    fallback: false,
  }),
} as const;

/** Settings as stated by the command line and the environment: counts may be `auto`. */
export type Stated = CommandStated<typeof flagSpecs>;

/** Every setting of the server, checked. */
export type Flags = Omit<Stated, 'workers' | 'dispatchWorkers' | 'operator'> & {
  readonly operator: Operator;
  readonly workers: number;
  readonly dispatchWorkers: number;
  readonly ouigo: { readonly username: string; readonly password: string };
};

export type Settings = CommandSettings<typeof flagSpecs>;
