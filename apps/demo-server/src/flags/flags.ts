/** Every setting of the server, checked. */
export interface Flags {
  readonly port: number;
  readonly host: string;
  /** How connections reach the processes that serve. */
  readonly accept: Accept;
  /** Processes that serve. */
  readonly workers: number;
  /** What a router chooses the process by: equal searches, equal values of a header, or nothing. */
  readonly routeBy: RouteBy;
  /** Paths of PEM files; with them HTTPS is served. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Where carriers' work runs. */
  readonly dispatch: DispatchName;
  /** Workers of the dispatcher of each serving process; in-process has one. */
  readonly dispatchWorkers: number;
  /** What the dispatcher runs: a carrier's whole work, or the making of journeys from its bytes. */
  readonly offload: Offload;
  /** Whether equal searches in flight are one: in each serving process, or on the whole machine. */
  readonly coalesce: Coalesce;
  readonly deadlineMs: number;
  /** A request, with its body, must arrive within this time. */
  readonly requestTimeoutMs: number;
  /** Requests that a serving process works on at a time: as many as it can answer in time, so many, or any number. */
  readonly maxInFlight: number | 'auto' | 'off';
  readonly carriers: readonly CarrierName[];
  /** Base URL of an upstream; `undefined` = the embedded simulator. */
  readonly carriersUrl: string | undefined;
  readonly latency: Latency;
  /** Documents that the store is filled with. */
  readonly worms: number;
  /** Where they are, with its password; `undefined` = SQLite in a file of this server's own. */
  readonly databaseUrl: string | undefined;
  readonly logRequests: boolean;
  readonly ouigo: { readonly username: string; readonly password: string };
}

export const ACCEPTS = ['single', 'cluster', 'passthru', 'socket'] as const;
export type Accept = (typeof ACCEPTS)[number];

export type RouteBy = 'search-key' | 'none' | `header:${string}`;

/** Latency of the embedded simulator. */
export type Latency =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'random' }
  | { readonly kind: 'lognormal'; readonly p50Ms: number; readonly p99Ms: number };

export const DISPATCH_NAMES = ['in-process', 'fork', 'piscina', 'cluster'] as const;
export type DispatchName = (typeof DISPATCH_NAMES)[number];

export const OFFLOADS = ['whole', 'normalise'] as const;
export type Offload = (typeof OFFLOADS)[number];

export const COALESCES = ['on', 'machine', 'off'] as const;
export type Coalesce = (typeof COALESCES)[number];

/** Carriers that the server can ask. */
export const CARRIER_NAMES = ['renfe', 'ouigo', 'avlo'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];
