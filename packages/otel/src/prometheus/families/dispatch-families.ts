import type { BucketCounts } from '@ticketing/kit';
import { figures } from '../../figures.ts';
import { byLabel, type Family, type Labels } from '../family.ts';
import { familyOf, type HistogramFigure, histogramOf, type SingleFigure } from '../family-of.ts';
import { bucketsInSeconds } from '../in-seconds.ts';

type WorkerState = 'starting' | 'ready' | 'retiring' | 'stopping';
type Time = 'wait' | 'run' | 'transport';

/** Calls and workers of a dispatcher, as its `stats()` has them. */
export interface DispatcherCounts {
  readonly name: string;
  readonly queued: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly aborted: number;
  readonly rejected: number;
  readonly retried: number;
  readonly lost: number;
  readonly killed: number;
  readonly recycled: number;
  readonly spawned: number;
  readonly workers: readonly { readonly state: WorkerState }[];
  readonly buckets: Readonly<Record<Time, BucketCounts>>;
  /** Counters of the fallback, if the dispatcher has one. */
  readonly fallback?: { readonly ran: number; readonly refused: number };
}

/** Hosts of a fleet, as `fleet()` of a dispatcher over NATS has them. */
interface FleetCounts {
  readonly fleet: string;
  readonly hosts: readonly { readonly state: string }[];
  readonly refused: Readonly<Record<string, number>>;
  readonly lost: Readonly<Record<string, number>>;
}

/** Statistics of dispatchers. */
export interface DispatchStats {
  /** `stats()` of dispatchers whose workers run the tasks. One that only relays calls would count them twice. */
  readonly dispatchers?: readonly DispatcherCounts[];
  /** `fleet()` of dispatchers over NATS. */
  readonly fleets?: readonly FleetCounts[];
}

/** Families of dispatchers and of fleets. */
export const dispatchFamilies: readonly Family<DispatchStats>[] = [
  familyOf(figures.dispatchTasks, ({ dispatchers = [] }) =>
    dispatchers.flatMap(({ name, completed, failed, aborted, rejected }) =>
      byLabel('outcome', {
        labels: poolOf(name),
        values: { completed, failed, aborted, rejected },
      }),
    ),
  ),
  times('wait', figures.dispatchWait),
  times('run', figures.dispatchRun),
  times('transport', figures.dispatchTransport),
  ofDispatcher(figures.dispatchActive, ({ queued, running }) => queued + running),
  ofDispatcher(figures.dispatchQueued, ({ queued }) => queued),
  ofDispatcher(figures.dispatchRunning, ({ running }) => running),
  ofDispatcher(figures.dispatchRetries, ({ retried }) => retried),
  familyOf(figures.dispatchWorkers, ({ dispatchers = [] }) =>
    dispatchers.flatMap(({ name, workers }) => {
      const states = { starting: 0, ready: 0, retiring: 0, stopping: 0 };
      for (const { state } of workers) states[state] += 1;
      return byLabel('state', { labels: poolOf(name), values: states });
    }),
  ),
  ofDispatcher(figures.dispatchWorkerStarts, ({ spawned }) => spawned),
  ofDispatcher(figures.dispatchWorkerExits, ({ spawned, workers }) => spawned - workers.length),
  familyOf(figures.dispatchWorkerEnds, ({ dispatchers = [] }) =>
    dispatchers.flatMap(({ name, lost, killed, recycled }) =>
      byLabel('how', { labels: poolOf(name), values: { lost, killed, recycled } }),
    ),
  ),
  familyOf(figures.dispatchFallback, ({ dispatchers = [] }) =>
    dispatchers.flatMap(({ name, fallback }) => {
      if (fallback === undefined) return [];
      const { ran, refused } = fallback;
      return byLabel('outcome', { labels: poolOf(name), values: { ran, refused } });
    }),
  ),
  familyOf(figures.fleetHosts, ({ fleets = [] }) =>
    fleets.flatMap(({ fleet, hosts }) => {
      const states: Record<string, number> = { serving: 0, leaving: 0, silent: 0 };
      for (const { state } of hosts) states[state] = (states[state] ?? 0) + 1;
      return byLabel('state', { labels: { fleet }, values: states });
    }),
  ),
  familyOf(figures.fleetRefused, ({ fleets = [] }) =>
    fleets.flatMap(({ fleet, refused }) =>
      byLabel('reason', { labels: { fleet }, values: refused }),
    ),
  ),
  familyOf(figures.fleetLost, ({ fleets = [] }) =>
    fleets.flatMap(({ fleet, lost }) => byLabel('sign', { labels: { fleet }, values: lost })),
  ),
];

function poolOf(name: string): Labels {
  return { pool: name };
}

function times(time: Time, figure: HistogramFigure): Family<DispatchStats> {
  return histogramOf(figure, ({ dispatchers = [] }) =>
    dispatchers.map(({ name, buckets }) => ({
      labels: poolOf(name),
      buckets: bucketsInSeconds(buckets[time]),
    })),
  );
}

function ofDispatcher(
  figure: SingleFigure,
  read: (stats: DispatcherCounts) => number,
): Family<DispatchStats> {
  return familyOf(figure, ({ dispatchers = [] }) =>
    dispatchers.map((stats) => ({ labels: poolOf(stats.name), value: read(stats) })),
  );
}
