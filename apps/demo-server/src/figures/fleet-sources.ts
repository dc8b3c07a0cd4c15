import type { NatsWorkerReport } from '@ticketing/dispatch-nats';
import { hostReportOf } from './checked-reports.ts';
import { type RowSource, rowOf } from './figure.ts';
import { type hosts, members } from './figures.ts';
import type { ProcessStatus } from './process-status.ts';
import { rounded } from './rounded.ts';
import type { HostReport, KeysStats, ServerStats } from './stats-document.ts';

/** A host as a process: what it reports of itself over its sessions. Those who see the same host have the same of it. */
export interface HostProcess {
  /** Name of the host; with a number from the second of that name on. */
  readonly id: string;
  readonly state: ServerStats['dispatch']['workers'][number]['state'];
  readonly report: HostReport;
}

type HostSource = RowSource<typeof hosts.figures>;

/** A part of a process that knows hosts: `tasks` of carriers, or `keys` of questions. */
interface Seen {
  readonly process: string;
  readonly part: HostSource['fleet'];
  readonly fleet: KeysStats['hosts'];
  readonly dispatch: KeysStats['dispatch'];
  readonly keys?: KeysStats;
}

/** Every part of the server's processes that knows hosts. */
function seenBy(statuses: readonly ProcessStatus[]): Seen[] {
  return statuses.flatMap(({ id: process, role, stats }) => {
    const seen: Seen[] = [];
    if (role === 'server' && stats?.hosts !== undefined) {
      seen.push({ process, part: 'tasks', fleet: stats.hosts, dispatch: stats.dispatch });
    }
    const keys = stats?.keys;
    if (keys !== undefined) {
      seen.push({ process, part: 'keys', fleet: keys.hosts, dispatch: keys.dispatch, keys });
    }
    return seen;
  });
}

/** Returns the hosts that report to any process, each once. */
export function hostProcesses(statuses: readonly ProcessStatus[]): HostProcess[] {
  const found = new Map<string, Omit<HostProcess, 'id'>>();
  for (const { dispatch } of seenBy(statuses)) {
    for (const { moduleReport, state } of dispatch.workers) {
      const report = hostReportOf(moduleReport);
      if (report === undefined) continue;
      const key = `${report.name} ${report.pid}`;
      const known = found.get(key);
      // Several processes may have a report of one host: the latest counts.
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

/** Returns the fleets that the processes belong to, as each sees them, with its hosts by state. */
export function fleetSources(statuses: readonly ProcessStatus[]) {
  return seenBy(statuses).map((seen) => {
    const { process, part, fleet, keys } = seen;
    const states = { joined: 0, known: 0, leaving: 0, silent: 0, refused: 0 };
    for (const { state } of hostsOf(seen)) states[state] += 1;
    return {
      ...fleet,
      process,
      id: part,
      name: fleet.fleet,
      states,
      own: keys?.own,
      others: keys?.others,
      served: keys && rowOf(members, { ...keys.member, sessions: keys.member.sessions.length }),
    };
  });
}

/** Returns every host that is known, with the figures of its session if there is one. */
export function hostSources(statuses: readonly ProcessStatus[]): HostSource[] {
  return seenBy(statuses).flatMap(hostsOf);
}

function hostsOf({ process, part, fleet, dispatch, keys }: Seen): HostSource[] {
  const hostOf = (report: unknown) => (report as NatsWorkerReport | undefined)?.host;
  const sessions = new Map(dispatch.workers.map((worker) => [hostOf(worker.report), worker]));
  return fleet.hosts.map((known) => {
    const { host: id, state, refused } = known;
    const worker = sessions.get(id);
    const report = (worker?.report ?? {}) as Partial<NatsWorkerReport>;
    const joined = worker === undefined ? 'known' : 'joined';
    return {
      ...report,
      ...known,
      process,
      fleet: part,
      id,
      name: nameOf(id),
      state: refused !== undefined ? 'refused' : state === 'serving' ? joined : state,
      isSelf: id === keys?.member.id || undefined,
      rttMs: report.rttMs && rounded(report.rttMs),
      credit: report.credit,
      inFlight: worker?.inFlight,
      done: worker?.done,
    };
  });
}

/** Eight characters follow a host's name, which are new at every start. */
function nameOf(host: string): string {
  return host.replace(/\.[^.]*$/, '');
}
