import type { AdmissionStats } from '@ticketing/admission';
import type { CoalescerStats } from '@ticketing/batching';
import type { CarrierHttpStats } from '@ticketing/carriers';
import type { SearchStats } from '@ticketing/core';
import type { DispatcherStats } from '@ticketing/dispatch';
import type { ClusterStats } from '@ticketing/dispatch-cluster';
import type { NatsFleetStats, NatsHostStats } from '@ticketing/dispatch-nats';
import type { RouterStats, WorkerHandleStats } from '@ticketing/socket-router';
import type { Flags } from '../flags/flag-specs.ts';
import type { RouteDurations } from '../metrics/duration-counts.ts';
import type { Command, OperatorEvent, OperatorView, Outcome } from '../operator/view-schema.ts';
import type { QuestionTasks } from '../questions.ts';
import type { CarrierTasks } from '../search/carriers.ts';
import type { SharedStats } from '../search/shared-loads.ts';
import type { StreamStats } from '../search/shared-streams.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WormLocation } from '../worms/worm-databases.ts';
import type { WormStoreStats } from '../worms/worm-store.ts';
import type { ProcessStats } from './process-stats.ts';

/** Milliseconds beyond the deadline that requests in flight get to be answered. */
export const ANSWER_MS = 1000;

/** The server, whatever processes it has. */
export interface Serving {
  readonly url: string;
  readonly carriersUrl: string;
  /** Replaces its workers one by one; no request fails. */
  reload(): Promise<void>;
  /** Requests that are not answered yet; of other processes, as they last reported. */
  inFlight(): number;
  /** Stops accepting, answers what is in flight, closes everything. Idempotent. */
  close(): Promise<void>;
}

/** Starts the processes of one value of `--accept`. */
export type StartServing = (context: ServeContext) => Promise<Omit<Serving, 'carriersUrl'>>;

export interface ServeContext {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** Epoch ms. */
  readonly now: () => number;
  /** When the server was started, in epoch ms. */
  readonly startedAt: number;
  readonly log: (line: string) => void;
  /** Of this process. */
  readonly telemetry: Telemetry;
  /** Pids of the hosts that this server has started. */
  ownHosts(): readonly number[];
}

/** What a server process reports of itself. */
export interface OwnStatus {
  readonly pid: number;
  readonly stats: ServerStats;
  readonly events: readonly OperatorEvent[];
}

/** Counters of every part of a server process. */
export interface ServerStats {
  readonly admission: AdmissionStats;
  /** How long its answers took. */
  readonly routes: readonly RouteDurations[];
  /** Of searches; absent without coalescing. */
  readonly coalesce: CoalescerStats | undefined;
  readonly streams: StreamStats;
  readonly search: SearchStats;
  readonly dispatch: DispatcherStats;
  /** Hosts that carriers' tasks may run on, with `--dispatch nats`. */
  readonly hosts?: NatsFleetStats;
  /** With `--coalesce fleet`, unless the primary has them. */
  readonly keys?: KeysStats;
  /** With `--coalesce shared`. */
  readonly shared?: SharedStats;
  /** Calls that this process sent, by carrier. */
  readonly http: Readonly<Record<string, CarrierHttpStats>>;
  readonly worms: WormStoreStats & { readonly coalesce: CoalescerStats | undefined };
  readonly process: ProcessStats;
  /** With a router. */
  readonly attached?: WorkerHandleStats | undefined;
}

/** Counters of a member of the fleet that shares questions. */
export interface KeysStats {
  /** Questions whose key belongs to this host, and those that others were asked. */
  readonly own: number;
  readonly others: number;
  /** Of what it answers, for itself and for others. */
  readonly coalesce: CoalescerStats | undefined;
  readonly worms: { readonly coalesce: CoalescerStats | undefined };
  /** Owners of keys that it knows. */
  readonly hosts: NatsFleetStats;
  /** What others ask of it. */
  readonly member: NatsHostStats;
  /** What it asks others. */
  readonly dispatch: DispatcherStats;
}

/** What a worker reports that runs carriers' tasks and serves no HTTP: `moduleReport` in the row of its pool. */
export interface TaskWorkerReport {
  /** Calls that it sent, by carrier. */
  readonly http: ServerStats['http'];
  readonly process: ProcessStats;
  /** Counts of the searches that it ran whole; absent if it ran none. */
  readonly search?: SearchStats;
}

/** What a host of the fleet reports to those whose tasks it runs: `moduleReport` in the rows of their pools. */
export interface HostReport extends TaskWorkerReport {
  readonly name: string;
  /** On its own machine. */
  readonly pid: number;
  readonly ageMs: number;
  /** Of the questions that it answered. */
  readonly search: SearchStats;
  readonly coalesce: CoalescerStats | undefined;
  readonly worms: { readonly coalesce: CoalescerStats | undefined };
}

/** Counters of the primary. */
export interface PrimaryStats {
  /** Of searches, with `--coalesce machine`. */
  readonly coalesce: CoalescerStats | undefined;
  readonly worms: { readonly coalesce: CoalescerStats | undefined };
  /** With `--coalesce fleet`. */
  readonly keys?: KeysStats;
  readonly cluster: Omit<ClusterStats, 'workers'>;
  /** Of the searches that the primary runs: with `--coalesce machine` where carriers' work is on the server processes. */
  readonly search?: SearchStats;
  readonly http?: ServerStats['http'];
  readonly router?: RouterStats;
  readonly process: ProcessStats;
}

/** `silent`: it did not report within a second. */
export type ProcessState = 'starting' | 'ready' | 'retiring' | 'stopping' | 'silent';

interface AnyProcess {
  /** `primary`, or `server-` and its slot, which its successor takes over. While two have a slot, one is `…/other`. */
  readonly id: string;
  readonly pid: number;
  readonly state: ProcessState;
  readonly ageMs: number;
  readonly events?: readonly OperatorEvent[];
  /** Of a server process that no primary watches. */
  readonly traffic?: { readonly inFlight: number; readonly connections: number };
}

/** A process of the server, and its counters; without them it has not reported. */
export type ProcessStatus =
  | (AnyProcess & { readonly role: 'primary'; readonly stats: PrimaryStats })
  | (AnyProcess & { readonly role: 'server'; readonly stats?: ServerStats });

/** Tasks that a server process runs for the others. */
export type ServingTasks = CarrierTasks &
  QuestionTasks & {
    status(): OwnStatus;
    /** The server is about to stop: balancers are to send no more. */
    leave(): void;
  };

/** Tasks that the primary runs for the server processes: it passes work on, and holds what they share. */
export type PrimaryTasks = CarrierTasks &
  QuestionTasks & {
    /** Every process, the primary first. */
    overview(): Promise<ProcessStatus[]>;
    view(): Promise<OperatorView>;
    control(command: Command): Promise<Outcome>;
  };

const VARIABLE = 'DEMO_SERVING';

/** What a server process is started with. */
export interface ServingStart {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  /** When the server was started, in epoch ms. */
  readonly startedAt: number;
  /** Base64, the same in all: each process resumes the TLS sessions of the others. */
  readonly ticketKeys: string;
}

/** Returns the environment of a server process. */
export function servingEnvironment(start: ServingStart): Record<string, string | undefined> {
  return { ...process.env, [VARIABLE]: JSON.stringify(start) };
}

/** Reads what this process was started with from its environment. */
export function servingStart(): ServingStart {
  return JSON.parse(process.env[VARIABLE] ?? '{}') as ServingStart;
}
