import type { Static } from 'typebox';
import { expect } from 'vitest';
import { hostProcesses } from '../src/figures/fleet-sources.ts';
import type { ProcessStatus } from '../src/figures/process-status.ts';
import type { StatsDocument, TaskWorkerReport } from '../src/figures/stats-document.ts';
import type { OperatorView } from '../src/figures/view-schema.ts';
import { partsOf } from '../src/pages/picture/system/system-model.ts';
import { systemOf } from '../src/pages/picture/system/system-of.ts';
import { eventually, getFrom, requestsAt } from './demo.ts';
import { type Sample, samples, sumOf } from './series.ts';

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

/** What is counted in several places, by the names that the libraries give it. */
interface Counts {
  /** Calls to each carrier. */
  readonly sent: Readonly<Record<string, number>>;
  readonly searches: number;
  /** Calls of tasks, each in the pool of its workers. */
  readonly tasks: number;
  /** Carriers that answered in searches. */
  readonly answered: number;
  readonly joined: number;
  readonly led: number;
  /** Answers to `/search` with 200. */
  readonly requests: number;
}

type Stats = Static<typeof StatsDocument>['processes'][number];
type Calls = Readonly<Record<string, { readonly sent: number }>>;

function added(all: readonly Calls[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const calls of all) {
    for (const [carrier, { sent }] of Object.entries(calls)) {
      total[carrier] = (total[carrier] ?? 0) + sent;
    }
  }
  return total;
}

const isSearch = ({ route, status }: { readonly route: string; readonly status: number }) =>
  route === '/search' && status === 200;

/** What hosts report to any process, each once. */
function hostsIn(processes: readonly Stats[]) {
  const statuses = processes.map(({ id, ...stats }) => ({
    id,
    role: 'cluster' in stats ? 'primary' : 'server',
    stats,
  }));
  return hostProcesses(statuses as unknown as ProcessStatus[]).map(({ report }) => report);
}

/** What `/stats` says: every figure is read from where its library counts it. */
function countsOfStats(processes: readonly Stats[]): Counts {
  const primary = processes.find((each) => 'cluster' in each);
  const servers = processes.flatMap((each) => ('dispatch' in each ? [each] : []));
  const hosts = hostsIn(processes);
  const own = [...servers, ...(primary === undefined ? [] : [primary])];
  const keys = own.flatMap((each) => (each.keys === undefined ? [] : [each.keys]));
  const pools = [
    ...keys.map(({ dispatch }) => dispatch),
    ...servers.map(({ dispatch }) => dispatch).filter(({ kind }) => kind !== 'primary'),
    ...(primary === undefined ? [] : [primary.cluster.dispatcher]),
  ];
  // Hosts report to each that has a session with them.
  const workers = pools.flatMap(({ kind, workers: all }) =>
    (kind === 'nats' ? [] : all).flatMap(({ moduleReport }) =>
      moduleReport === undefined ? [] : [moduleReport as Pick<TaskWorkerReport, 'http' | 'search'>],
    ),
  );
  const searching = [...own, ...hosts, ...workers];
  const coalescers = [...own, ...hosts, ...keys].flatMap(({ coalesce, worms }) =>
    [coalesce, worms.coalesce].flatMap((each) => (each === undefined ? [] : [each])),
  );
  const shared = servers.flatMap((each) => Object.values(each.shared?.loads ?? {}));
  // Shared streams are counted by themselves, and only where something is shared.
  const isShared = servers.some(({ coalesce }) => coalesce !== undefined);
  const streams = isShared ? servers.map((each) => each.streams) : [];
  return {
    sent: added(searching.map(({ http = {} }) => http)),
    searches: sum(searching.map(({ search }) => search?.complete ?? 0)),
    tasks: sum(pools.map(({ completed }) => completed)),
    answered: sum(
      searching.flatMap(({ search }) =>
        Object.values(search?.carriers ?? {}).map(({ ok, empty }) => ok + empty),
      ),
    ),
    joined: sum([
      ...[...coalescers, ...streams].map((each) => each.joined),
      ...shared.map(({ followed }) => followed),
    ]),
    led: sum([
      ...coalescers.map((each) => each.led),
      ...shared.map(({ led, local }) => led + local),
      ...streams.map(({ asked, joined }) => asked - joined),
    ]),
    requests: sum(
      servers.flatMap(({ routes }) =>
        routes.filter(isSearch).map(({ latency }) => sum(latency.counts)),
      ),
    ),
  };
}

function countsOfView({ searches, carriers, coalesce, pools, routes }: OperatorView): Counts {
  return {
    sent: added(carriers.map(({ id, http }) => ({ [id]: http }))),
    searches: sum(searches.map(({ complete }) => complete)),
    tasks: sum(pools.map(({ completed }) => completed)),
    answered: sum(carriers.map(({ states }) => (states['ok'] ?? 0) + (states['empty'] ?? 0))),
    joined: sum(coalesce.map(({ joined }) => joined)),
    led: sum(coalesce.map(({ led }) => led)),
    requests: sum(routes.filter(isSearch).map(({ latency }) => sum(latency.counts))),
  };
}

/** Figures of the parts of the operator's picture. */
function countsOfPicture(view: OperatorView) {
  const parts = partsOf(systemOf(view));
  const count = (name: string) => sum(parts.map(({ counts }) => counts[name] ?? 0));
  const carriers = parts.filter(({ kind }) => kind === 'carrier');
  return {
    sent: Object.fromEntries(carriers.map(({ row, counts }) => [row, counts['sent']])),
    tasks: count('tasks'),
    answered: count('answered'),
    joined: count('joined'),
    led: count('led'),
    requests: count('requests'),
  };
}

function countsOfMetrics(found: readonly Sample[]): Counts {
  const carriers = new Set(found.flatMap(({ labels }) => labels['carrier'] ?? []));
  const calls = 'ticketing_coalescer_calls_total';
  const state = (name: string) =>
    sumOf(found, 'ticketing_carrier_duration_seconds_count', { state: name });
  return {
    sent: Object.fromEntries(
      [...carriers].map((carrier) => [
        carrier,
        sumOf(found, 'ticketing_carrier_http_sent_total', { carrier }),
      ]),
    ),
    searches: sumOf(found, 'ticketing_search_total', { outcome: 'complete' }),
    tasks: sumOf(found, 'ticketing_dispatch_tasks_total', { outcome: 'completed' }),
    answered: state('ok') + state('empty'),
    joined: sumOf(found, calls, { outcome: 'joined' }),
    led: sumOf(found, calls, { outcome: 'led' }),
    requests: sumOf(found, 'http_server_request_duration_seconds_count', {
      http_route: '/search',
      http_response_status_code: '200',
    }),
  };
}

/**
 * Proves that `/stats`, the operator's view and `/metrics` count the same, that it is what the simulator was asked, and that
 * nothing is counted twice. `requests`: answers of `/search` so far.
 */
export async function expectEqualCounts(
  { url, carriersUrl }: { readonly url: string; readonly carriersUrl: string },
  requests: number,
): Promise<void> {
  // Workers report twice a second, and the view is kept for half a second.
  await eventually(async () => {
    const { body: stats } = await getFrom(`${url}/stats`);
    const { body: view } = await getFrom(`${url}/operator/state`);
    const { body: text } = await getFrom(`${url}/metrics`);
    const counts = countsOfStats(stats.processes);
    expect(countsOfView(view)).toEqual(counts);
    expect(countsOfMetrics(samples(text))).toEqual(counts);
    const { sent, tasks, answered, joined, led } = counts;
    const allRequests = sum(
      (view as OperatorView).processes.map((each) =>
        each.kind === 'server' ? (each.requests ?? 0) : 0,
      ),
    );
    expect(countsOfPicture(view)).toEqual({
      sent,
      tasks,
      answered,
      joined,
      led,
      requests: allRequests,
    });
    const upstream = Object.entries(await requestsAt(carriersUrl));
    expect(counts.sent).toEqual(
      Object.fromEntries(upstream.map(([carrier, { arrived }]) => [carrier, arrived])),
    );
    expect(counts.requests).toBe(requests);
    expect(counts.answered).toBe(upstream.length * counts.searches);
    const carrierTasks = upstream.length * searchesHere(view);
    expect(counts.tasks).toBe(carrierTasks + wholeSearches(view) + documentsOf(view));
  });
}

/** Hosts that search have the carriers asked by a dispatcher of their own, whose tasks are counted there. */
function searchesHere({ processes, searches }: OperatorView): number {
  const away = new Set(
    processes.flatMap(({ id, kind }) => (['host', 'task', 'thread'].includes(kind) ? [id] : [])),
  );
  return sum(searches.flatMap(({ process, complete }) => (away.has(process) ? [] : [complete])));
}

/** Searches that are one task each. */
function wholeSearches({ modes, processes, searches }: OperatorView): number {
  const inHosts = modes.offload === 'search' && modes.dispatch === 'nats';
  const kinds = inHosts ? ['host'] : ['task', 'thread'];
  const workers = new Set(processes.flatMap(({ id, kind }) => (kinds.includes(kind) ? [id] : [])));
  return sum(searches.flatMap(({ process, complete }) => (workers.has(process) ? [complete] : [])));
}

/** With `--coalesce machine` the primary has the server processes search, unless its own search has them ask the carriers. */
function documentsOf({ modes: { dispatch }, coalesce, pools }: OperatorView): number {
  const elsewhere = sum(
    pools.flatMap(({ id, completed }) => (id.endsWith('/keys') ? [completed] : [])),
  );
  if (dispatch === 'cluster') return elsewhere;
  const isPassedOn = ({ process, scope }: OperatorView['coalesce'][number]): boolean =>
    process === 'primary' && scope !== 'process';
  return elsewhere + sum(coalesce.flatMap((row) => (isPassedOn(row) ? [row.led] : [])));
}
