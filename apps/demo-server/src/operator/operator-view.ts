import type { DispatcherStats, WorkerStats } from '@ticketing/dispatch';
import type { FallbackStats } from '@ticketing/dispatch-wrappers';
import type { RouterStats } from '@ticketing/socket-router';
import type { Flags } from '../flags/flag-specs.ts';
import { withIds } from '../processes/process-ids.ts';
import { versions } from '../processes/versions.ts';
import { taskReportOf } from './checked-reports.ts';
import { coalescersOf, fleetCoalescers, machineCoalescers, sharedRows } from './coalescer-rows.ts';
import { fleetRows, type HostProcess, hostProcesses, hostRows } from './fleet-view.ts';
import type {
  PrimaryStats,
  ProcessStatus,
  ServerStats,
  TaskWorkerReport,
} from './process-status.ts';
import type { OperatorEvent, OperatorView, UpstreamView } from './view-schema.ts';

/** What is not in the counters of the processes. */
export interface ViewContext {
  /** Epoch ms. */
  readonly at: number;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly flags: Flags;
  /** What the embedded simulator says; absent with any other upstream. */
  readonly upstream?: readonly UpstreamView[] | undefined;
  /** The latest load that was asked for on the page. */
  readonly load?: OperatorView['load'] | undefined;
  readonly events?: readonly OperatorEvent[];
  /** Pids of the hosts that the server has started. */
  readonly ownHosts?: readonly number[];
}

/**
 * Returns the whole server in one value, from what its processes report. Nothing is counted twice: calls of a lent dispatcher
 * are the tasks of its owner's pool, and the questions for these counters, which are broadcast, are no tasks.
 */
export function operatorView(
  processes: readonly ProcessStatus[],
  { at, startedAt, flags, upstream, load, events = [], ownHosts = [] }: ViewContext,
): OperatorView {
  const { coalesce } = flags;
  const servers = processes.flatMap(({ id, role, stats }) =>
    role === 'server' && stats !== undefined ? [{ id, stats }] : [],
  );
  const primary = processes.find((each) => each.role === 'primary')?.stats;
  const each = <T>(rows: (id: string, stats: ServerStats) => readonly T[]): T[] =>
    servers.flatMap(({ id, stats }) => rows(id, stats));
  const hosts = hostProcesses(processes);
  const searching = [
    ...processes.flatMap(({ id, stats: { search, http = {} } = {} }) =>
      search === undefined ? [] : [{ id, search, http }],
    ),
    ...hosts.map(({ id, report: { search, http } }) => ({ id, search, http })),
  ];
  const workers = servers.flatMap(taskReports);
  return {
    at,
    startedAt,
    versions,
    modes: modesOf(flags),
    processes: [
      ...processes.flatMap((one) => [processRow(one, primary), ...taskRows(one)]),
      ...hosts.map((host) => hostProcessRow(host, ownHosts)),
    ],
    searches: [...searching, ...workers].flatMap(({ id: process, search }) => {
      if (search === undefined) return [];
      const { running, complete, partial, aborted } = search;
      return [{ process, running, complete, partial, aborted }];
    }),
    routes: each((id, { routes }) => routes.map((row) => ({ process: id, ...row }))),
    coalesce: [
      ...(coalesce === 'off' ? [] : each(coalescersOf)),
      ...(primary === undefined ? [] : machineCoalescers(primary)),
      ...each((id, { shared }) => sharedRows(id, shared)),
      ...processes.flatMap(({ id, stats }) => fleetCoalescers(id, stats?.keys)),
      ...hosts.flatMap(({ id, report }) => fleetCoalescers(id, report)),
    ],
    pools: [
      ...(primary === undefined
        ? []
        : [poolRow('primary', 'primary/serving', primary.cluster.dispatcher)]),
      ...each((id, { dispatch: pool }) => (isLent(pool) ? [] : [poolRow(id, `${id}/tasks`, pool)])),
      ...processes.flatMap(({ id, stats }) =>
        stats?.keys === undefined ? [] : [poolRow(id, `${id}/keys`, stats.keys.dispatch)],
      ),
    ],
    fleets: fleetRows(processes),
    hosts: hostRows(processes),
    ...(primary?.router && { router: routerOf(primary.router, servers) }),
    carriers: [...searching.flatMap(carriersOf), ...workers.flatMap(taskCarriersOf)],
    // The simulator plays carriers that this server does not ask, too.
    ...(upstream && {
      upstream: upstream.filter(({ id }) => flags.carriers.some((one) => one === id)),
    }),
    ...(load && { load: { ...load, answers: { ...load.answers } } }),
    events: [...events],
  };
}

type WorkerReport = TaskWorkerReport & { readonly id: string };
type ServerRow = { readonly id: string; readonly stats: ServerStats };
type Row<K extends 'processes' | 'pools' | 'carriers'> = OperatorView[K][number];

function processRow(one: ProcessStatus, primary: PrimaryStats | undefined): Row<'processes'> {
  const { id, role, pid, state, ageMs } = one;
  const figures = one.stats?.process;
  const worker = primary?.cluster.dispatcher.workers.find((each) => each.pid === pid);
  const row = {
    ...{ id, kind: role, pid, state, ageMs: rounded(ageMs) },
    ...(figures && {
      memoryBytes: figures.memoryBytes,
      cpuMs: rounded(figures.cpuMs),
      utilisation: rounded(figures.utilisation),
      loopP50Ms: figures.eventLoop.p50Ms,
      loopP99Ms: figures.eventLoop.p99Ms,
    }),
  };
  if (one.role === 'primary') {
    const { inFlight, connections, requests } = one.stats.cluster;
    return { ...row, inFlight, connections, requests };
  }
  const report = worker?.report as
    | Pick<PrimaryStats['cluster'], 'inFlight' | 'connections' | 'requests'>
    | undefined;
  return {
    ...row,
    ...(one.stats && ownTraffic(one.stats)),
    ...one.traffic,
    ...(report && {
      inFlight: report.inFlight,
      connections: report.connections,
      requests: report.requests,
    }),
    ...(figures === undefined && worker?.memoryBytes && { memoryBytes: worker.memoryBytes }),
  };
}

function hostProcessRow(
  { id, state, report }: HostProcess,
  ownHosts: readonly number[],
): Row<'processes'> {
  const { pid, ageMs, process: figures, search } = report;
  return {
    ...{ id, kind: 'host', pid, state, ageMs: rounded(ageMs), inFlight: search.running },
    ...{ memoryBytes: figures.memoryBytes, cpuMs: rounded(figures.cpuMs) },
    ...{ utilisation: rounded(figures.utilisation), loopP50Ms: figures.eventLoop.p50Ms },
    loopP99Ms: figures.eventLoop.p99Ms,
    ...(!ownHosts.includes(pid) && { isElsewhere: true }),
  };
}

/** Returns how the server is composed. */
export function modesOf(flags: Flags): OperatorView['modes'] {
  const { accept, workers, dispatch, dispatchWorkers, offload, coalesce, fleet, routeBy } = flags;
  const hasRouter = accept === 'socket' || accept === 'passthru';
  return {
    ...{ accept, workers, dispatch, dispatchWorkers, offload, coalesce },
    ...((dispatch === 'nats' || coalesce === 'fleet') && { fleet }),
    ...(hasRouter && { routeBy }),
    tls: flags.tlsCert !== undefined,
    controls: flags.operator,
  };
}

/** Of a process without a primary that counts. */
function ownTraffic({ admission, routes }: ServerStats) {
  const { inFlight, refused } = admission;
  const answered = routes
    .flatMap(({ latency }) => latency.counts)
    .reduce((all, one) => all + one, 0);
  return { inFlight, requests: answered, refused: refused.busy + refused.late };
}

/** Rows of the workers that run the tasks of a server process alone. */
export function taskRows({
  id: owner,
  role,
  pid: ownPid,
  stats,
}: ProcessStatus): Row<'processes'>[] {
  if (role !== 'server' || stats === undefined) return [];
  const { dispatch } = stats;
  if (isLent(dispatch) || dispatch.kind === 'in-process' || isFar(dispatch)) return [];
  return withIds(`${owner}/task`, dispatch.workers).flatMap(({ id, worker }) => {
    const { pid, threadId, state, ageMs, memoryBytes, inFlight, done } = worker;
    if (pid === undefined) return [];
    const figures = taskReport(worker)?.process;
    const utilisation = figures?.utilisation ?? worker.utilisation;
    return [
      {
        ...{ id, kind: pid === ownPid ? 'thread' : 'task', pid, state, ageMs: rounded(ageMs) },
        ...(threadId !== undefined && { threadId }),
        ...(memoryBytes !== undefined && { memoryBytes }),
        ...(utilisation !== undefined && { utilisation: rounded(utilisation) }),
        ...(figures && {
          ...(pid !== ownPid && { cpuMs: rounded(figures.cpuMs) }),
          loopP50Ms: figures.eventLoop.p50Ms,
          loopP99Ms: figures.eventLoop.p99Ms,
        }),
        ...{ inFlight, requests: done },
      } as const,
    ];
  });
}

/** What a task worker says of itself: nothing before its first report, and in-process. */
const taskReport = ({ moduleReport }: WorkerStats) => taskReportOf(moduleReport);

/** Whether its workers are those of another process, which counts their tasks. */
function isLent({ kind }: DispatcherStats): boolean {
  return kind === 'primary';
}

/** Whether its workers are hosts, which have a row of their own. */
function isFar({ kind }: DispatcherStats): boolean {
  return kind === 'nats';
}

function poolRow(owner: string, id: string, stats: DispatcherStats): Row<'pools'> {
  const { kind, queued, running, completed, failed, aborted, rejected, refused } = stats;
  const { retried, lost, killed, recycled, spawned, circuit } = stats;
  const workers: Record<string, number> = {};
  for (const { state } of stats.workers) workers[state] = (workers[state] ?? 0) + 1;
  const { wait, run, transport } = roundedAll(stats.histograms);
  return {
    ...{ process: owner, id, kind, size: workers['ready'] ?? 0, workers, queued, running },
    ...{ completed, failed, aborted, rejected, refused, retried, lost, killed, recycled, spawned },
    ...{ circuit, wait, run, transport, buckets: stats.buckets },
    ...fallbackOf(stats),
  };
}

/** Calls that no host took, of a dispatcher with a fallback. */
function fallbackOf(
  stats: DispatcherStats & { readonly fallback?: FallbackStats },
): Pick<Row<'pools'>, 'fallback'> {
  if (stats.fallback === undefined) return {};
  const { ran, refused } = stats.fallback;
  return { fallback: { ran, refused } };
}

function routerOf(
  stats: RouterStats,
  servers: readonly { readonly id: string; readonly stats: ServerStats }[],
): NonNullable<OperatorView['router']> {
  const { accepted, reading, waiting, handedOver, refused, rerouted, gone, workers, claimMs } =
    stats;
  const forwardedBy = new Map(servers.map(({ id, stats: own }) => [id, own.attached?.forwarded]));
  return {
    ...{ accepted, waiting: reading + waiting, handedOver, refused, rerouted, gone },
    claim: claimMs,
    workers: workers
      .map(({ slot, state, queued, open, handedOver: taken }) => ({
        ...{ slot, state, queued, open, handedOver: taken },
        forwarded: forwardedBy.get(`server-${slot}`) ?? 0,
      }))
      .sort((one, other) => Number(one.slot) - Number(other.slot)),
  };
}

const noCalls = { inFlight: 0, sent: 0, retried: 0, refused: 0 };

function carriersOf({
  id,
  search,
  http,
}: Pick<ServerStats, 'search' | 'http'> & { readonly id: string }): Row<'carriers'>[] {
  return Object.entries(search.carriers).map(([carrier, states]) => ({
    ...{ process: id, id: carrier, states, latency: search.latency[carrier] ?? {} },
    http: http[carrier] ?? noCalls,
  }));
}

/** Reports of the workers that run tasks for this server process alone. */
function taskReports({ id: server, stats: { dispatch } }: ServerRow): WorkerReport[] {
  if (isLent(dispatch) || isFar(dispatch)) return [];
  return withIds(`${server}/task`, dispatch.workers).flatMap(({ id, worker }) => {
    const report = taskReport(worker);
    return report === undefined ? [] : [{ id, ...report }];
  });
}

/** Calls that a task worker sent to carriers. A search counts in the server process, unless the worker ran it whole. */
function taskCarriersOf({ id, http, search }: WorkerReport): Row<'carriers'>[] {
  return Object.entries(http).map(([carrier, calls]) => ({
    ...{ process: id, id: carrier, http: calls },
    ...{ states: search?.carriers[carrier] ?? {}, latency: search?.latency[carrier] ?? {} },
  }));
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Math.round(value * 1000) / 1000;
}

/** Returns plain data with every number to three digits after the point. */
export function roundedAll<T>(value: T): T {
  if (typeof value === 'number') return rounded(value) as T;
  if (Array.isArray(value)) return value.map(roundedAll) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, roundedAll(each)]),
  ) as T;
}
