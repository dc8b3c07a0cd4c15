import { withIds } from '../processes/process-ids.ts';
import type { ProcessStats } from '../processes/process-stats.ts';
import { taskReportOf } from './checked-reports.ts';
import type { RowSource } from './figure.ts';
import type { processes } from './figures.ts';
import { type HostProcess, hostProcesses } from './fleet-sources.ts';
import type { ProcessStatus } from './process-status.ts';
import { rounded } from './rounded.ts';
import type { PrimaryStats, ServerStats } from './stats-document.ts';

type Known = Pick<
  ProcessSource,
  'id' | 'kind' | 'pid' | 'threadId' | 'state' | 'ageMs' | 'pool' | 'window'
> & {
  /** Id of the process whose worker it is. */
  readonly owner?: string;
};
type ProcessSource = RowSource<typeof processes.figures>;
type Traffic = Pick<
  ProcessSource,
  'inFlight' | 'connections' | 'requests' | 'refused' | 'waiting' | 'limit'
>;
type Uses = { readonly [N in keyof ProcessStats]?: ProcessStats[N] | undefined };

/** Returns every process, each before its workers, and then the hosts. `at`: epoch ms. `ownHosts`: pids of hosts that the server has started. */
export function processSources(
  statuses: readonly ProcessStatus[],
  { at, ownHosts = [] }: { readonly at: number; readonly ownHosts?: readonly number[] },
) {
  const primary = primaryOf(statuses);
  const all = [
    ...statuses.flatMap((status) => [processSource(status, primary), ...taskSources(status)]),
    ...hostProcesses(statuses).map((host) => hostSource(host, ownHosts)),
  ];
  return all.map((source) => ({ ...source, startedMs: at - source.ageMs }));
}

/** Returns the counters of the primary, if there is one. */
export function primaryOf(statuses: readonly ProcessStatus[]): PrimaryStats | undefined {
  return statuses.find((each) => each.role === 'primary')?.stats;
}

/** Returns the workers that run the tasks of a server process alone, and what each reports of itself. */
export function workersOf(owner: string, { dispatch }: ServerStats) {
  // Hosts have a row of their own.
  if (isLent(dispatch) || dispatch.kind === 'nats') return [];
  return withIds(`${owner}/task`, dispatch.workers).map(({ id, worker }) => ({
    id,
    worker,
    report: taskReportOf(worker.moduleReport),
  }));
}

/** Returns the id of a pool of a process. */
export function poolId(process: string, pool: string): string {
  return `${process}/${pool}`;
}

/** Returns whether another process has the workers of a pool, and counts their tasks. */
export function isLent({ kind }: ServerStats['dispatch']): boolean {
  return kind === 'primary';
}

function sourceOf(
  known: Known,
  { uses, traffic }: { readonly uses: Uses; readonly traffic: Traffic },
) {
  const { kind, state } = known;
  const { memoryBytes, cpuMs, utilisation, eventLoop } = uses;
  return {
    ...traffic,
    ...uses,
    ...known,
    ageMs: rounded(known.ageMs),
    up: state === 'silent' ? 0 : 1,
    active: kind === 'server' ? traffic.inFlight : undefined,
    residentBytes: kind === 'thread' ? undefined : memoryBytes,
    cpuMs: cpuMs && rounded(cpuMs),
    utilisation: utilisation && rounded(utilisation),
    loopP50Ms: eventLoop?.p50Ms,
    loopP99Ms: eventLoop?.p99Ms,
  };
}

function processSource(status: ProcessStatus, primary: PrimaryStats | undefined) {
  const { id, role: kind, pid, state, ageMs, stats } = status;
  const worker = primary?.cluster.dispatcher.workers.find((each) => each.pid === pid);
  const uses = stats?.process ?? { memoryBytes: worker?.memoryBytes || undefined };
  const pool = worker && poolId('primary', 'serving');
  const known = { id, kind, pid, state, ageMs, pool, window: worker?.window };
  return sourceOf(known, { uses, traffic: trafficOf(status, worker) });
}

/** Requests of a process: as its primary counts them, if it has one. */
function trafficOf(
  status: ProcessStatus,
  worker: { readonly report?: unknown } | undefined,
): Traffic {
  if (status.role === 'primary') return cut(status.stats.cluster);
  const report = worker?.report as Traffic | undefined;
  const { stats, traffic } = status;
  return { ...(stats && ownTraffic(stats)), ...traffic, ...(report && cut(report)) };
}

function cut({ inFlight, connections, requests }: Traffic): Traffic {
  return { inFlight, connections, requests };
}

/** Traffic of a process that has no primary to count it. */
function ownTraffic({ admission, routes }: ServerStats): Traffic {
  const { inFlight, refused, waiting, limit } = admission;
  const requests = routes
    .flatMap(({ latency }) => latency.counts)
    .reduce((all, one) => all + one, 0);
  const refusals = refused.busy + refused.late;
  return { inFlight, requests, refused: refusals, waiting, limit: limit ?? undefined };
}

function taskSources({ id: owner, role, pid: ownPid, stats }: ProcessStatus) {
  if (role !== 'server' || stats === undefined || stats.dispatch.kind === 'in-process') return [];
  return workersOf(owner, stats).flatMap(({ id, worker, report }) => {
    const { pid, threadId, state, ageMs, memoryBytes, inFlight, window, done: requests } = worker;
    if (pid === undefined) return [];
    const kind = pid === ownPid ? 'thread' : 'task';
    const uses = {
      ...report?.process,
      memoryBytes,
      utilisation: report?.process.utilisation ?? worker.utilisation,
      ...(kind === 'thread' && { cpuMs: undefined }),
    };
    const pool = poolId(owner, 'tasks');
    const known = { id, kind, pid, threadId, state, ageMs, owner, pool, window } as const;
    return [sourceOf(known, { uses, traffic: { inFlight, requests } })];
  });
}

function hostSource({ id, state, report }: HostProcess, ownHosts: readonly number[]) {
  const { pid, ageMs, process: uses, search } = report;
  const known = { id, kind: 'host', pid, state, ageMs } as const;
  return {
    ...sourceOf(known, { uses, traffic: { inFlight: search.running } }),
    isElsewhere: !ownHosts.includes(pid) || undefined,
  };
}
