import type { DispatcherStats, WorkerStats } from '@ticketing/dispatch';
import type { NatsFleetStats, NatsWorkerReport } from '@ticketing/dispatch-nats';
import type { FleetStats } from '../answers/answers-stats.ts';
import { hostReportOf } from './checked-reports.ts';
import type { HostReport, ProcessStatus } from './process-status.ts';
import type { OperatorView } from './view-schema.ts';

/** A host as a process: what it reports of itself over its sessions. Those who see the same host have the same of it. */
export interface HostProcess {
  /** Its name; with a number from the second of that name on. */
  readonly id: string;
  readonly state: WorkerStats['state'];
  readonly report: HostReport;
}

/** A part of a process that knows hosts: `tasks` of carriers, or `keys` of questions. */
interface Seen {
  readonly process: string;
  readonly fleet: 'tasks' | 'keys';
  readonly hosts: NatsFleetStats;
  readonly dispatch: DispatcherStats;
  readonly keys?: FleetStats;
}

/** Every part of the server's processes that knows hosts. */
function seenBy(processes: readonly ProcessStatus[]): Seen[] {
  return processes.flatMap(({ id: process, stats }): Seen[] => {
    if (stats === undefined) return [];
    const { keys } = stats;
    const hosts = 'dispatch' in stats ? stats.hosts : undefined;
    return [
      ...(hosts && 'dispatch' in stats
        ? [{ process, fleet: 'tasks' as const, hosts, dispatch: stats.dispatch }]
        : []),
      ...(keys
        ? [{ process, fleet: 'keys' as const, hosts: keys.hosts, dispatch: keys.dispatch, keys }]
        : []),
    ];
  });
}

/** Returns the hosts that report to any process, each once. */
export function hostProcesses(processes: readonly ProcessStatus[]): HostProcess[] {
  const found = new Map<string, Omit<HostProcess, 'id'>>();
  for (const { dispatch } of seenBy(processes)) {
    for (const { moduleReport, state } of dispatch.workers) {
      const report = hostReportOf(moduleReport);
      if (report === undefined) continue;
      const key = `${report.name} ${report.pid}`;
      const known = found.get(key);
      // The latest of those that several processes have.
      if (known === undefined || known.report.ageMs < report.ageMs)
        found.set(key, { state, report });
    }
  }
  const taken = new Map<string, number>();
  return [...found.values()]
    .sort(
      (one, other) =>
        one.report.name.localeCompare(other.report.name) || one.report.pid - other.report.pid,
    )
    .map((host) => {
      const { name } = host.report;
      const before = taken.get(name) ?? 0;
      taken.set(name, before + 1);
      return { id: before === 0 ? name : `${name}/${before + 1}`, ...host };
    });
}

/** Returns the fleets that the processes belong to, as each sees them. */
export function fleetRows(processes: readonly ProcessStatus[]): OperatorView['fleets'] {
  return seenBy(processes).map(({ process, fleet, hosts, keys }) => ({
    ...{ process, id: fleet, name: hosts.fleet, state: hosts.state },
    ...{ refused: { ...hosts.refused }, lost: { ...hosts.lost } },
    ...(keys && {
      ...{ own: keys.own, others: keys.others },
      served: servedOf(keys),
    }),
  }));
}

function servedOf({ member }: FleetStats): NonNullable<OperatorView['fleets'][number]['served']> {
  const { state, sessions, running, completed, failed, aborted, busy } = member;
  return { state, sessions: sessions.length, running, completed, failed, aborted, busy };
}

/** Returns every host that is known, with the figures of its session if there is one. */
export function hostRows(processes: readonly ProcessStatus[]): OperatorView['hosts'] {
  return seenBy(processes).flatMap(({ process, fleet, hosts, dispatch, keys }) => {
    const sessions = new Map(
      dispatch.workers.map((worker) => [
        (worker.report as NatsWorkerReport | undefined)?.host,
        worker,
      ]),
    );
    return hosts.hosts.map(({ host, zone, revision, state, refused }) => {
      const worker = sessions.get(host);
      const { rttMs, credit } = (worker?.report ?? {}) as Partial<NatsWorkerReport>;
      const joined = worker === undefined ? 'known' : 'joined';
      return {
        ...{ process, fleet, id: host, name: nameOf(host) },
        ...(zone !== undefined && { zone }),
        ...(revision !== undefined && { revision }),
        state: refused !== undefined ? 'refused' : state === 'serving' ? joined : state,
        ...(refused !== undefined && { refused }),
        ...(host === keys?.member.id && { isSelf: true }),
        ...(rttMs !== undefined && { rttMs: Math.round(rttMs * 1000) / 1000 }),
        ...(credit !== undefined && { credit }),
        ...(worker && { inFlight: worker.inFlight, done: worker.done }),
      } satisfies OperatorView['hosts'][number];
    });
  });
}

/** Eight characters follow a host's name, which are new at every start. */
function nameOf(host: string): string {
  return host.replace(/\.[^.]*$/, '');
}
