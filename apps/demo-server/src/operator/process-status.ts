import type { AdmissionStats } from '@ticketing/admission';
import type { CarrierHttpStats } from '@ticketing/carriers';
import type { SearchStats } from '@ticketing/core';
import type { DispatcherStats } from '@ticketing/dispatch';
import type { ClusterStats } from '@ticketing/dispatch-cluster';
import type { NatsFleetStats } from '@ticketing/dispatch-nats';
import type { RouterStats, WorkerHandleStats } from '@ticketing/socket-router';
import type { AnswersStats, CoalesceStats, FleetStats } from '../answers/answers-stats.ts';
import type { RouteDurations } from '../http/duration-counts.ts';
import type { ProcessStats } from '../processes/process-stats.ts';
import type { OperatorEvent } from './view-schema.ts';

/** What a server process reports of itself. */
export interface OwnStatus {
  readonly pid: number;
  readonly stats: ServerStats;
  readonly events: readonly OperatorEvent[];
}

/** Counters of every part of a server process. */
export interface ServerStats extends AnswersStats {
  readonly admission: AdmissionStats;
  /** How long its answers took. */
  readonly routes: readonly RouteDurations[];
  readonly dispatch: DispatcherStats;
  /** Hosts that carriers' tasks may run on, with `--dispatch nats`. */
  readonly hosts?: NatsFleetStats;
  /** Calls that this process sent, by carrier. */
  readonly http: Readonly<Record<string, CarrierHttpStats>>;
  readonly process: ProcessStats;
  /** With a router. */
  readonly attached?: WorkerHandleStats | undefined;
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
export interface HostReport extends TaskWorkerReport, CoalesceStats {
  readonly name: string;
  /** On its own machine. */
  readonly pid: number;
  readonly ageMs: number;
  /** Of the questions that it answered. */
  readonly search: SearchStats;
}

/** Counters of the primary; those of coalescers with `--coalesce machine`. */
export interface PrimaryStats extends CoalesceStats {
  /** With `--coalesce fleet`. */
  readonly keys?: FleetStats;
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
