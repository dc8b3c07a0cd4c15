import { ofCoalescer, QUESTION_NAMES, type SomeCoalescers } from '../answers/kinds.ts';
import { KEPT_LOADS } from '../answers/shared-by-redis.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { versions } from '../processes/versions.ts';
import { type RowSource, rowOf, zerosOf } from './figure.ts';
import * as figures from './figures.ts';
import { fleetSources, type HostProcess, hostProcesses, hostSources } from './fleet-sources.ts';
import { isLent, poolId, primaryOf, processSources, workersOf } from './process-sources.ts';
import type { ProcessStatus } from './process-status.ts';
import { roundedAll } from './rounded.ts';
import type { PrimaryStats, ServerStats, TaskWorkerReport } from './stats-document.ts';

/** Facts that the counters of the processes do not contain. */
export interface SourceContext {
  readonly flags: Flags;
  /** Epoch ms. */
  readonly at: number;
  /** Pids of the hosts that the server has started. */
  readonly ownHosts?: readonly number[];
}

/** Everything that has figures, by the table of its figures. */
export type Sources = ReturnType<typeof sourcesOf>;

interface Server {
  readonly id: string;
  readonly stats: ServerStats;
}

/**
 * Finds what has figures in the reports of the processes. Nothing is counted twice: calls of a lent dispatcher are the tasks of
 * its owner's pool, and the questions for these counters, which are broadcast, are no tasks.
 */
export function sourcesOf(statuses: readonly ProcessStatus[], context: SourceContext) {
  const { accept, dispatch, coalesce, workers: serving, dispatchWorkers } = context.flags;
  const servers = statuses.flatMap(({ id, role, stats }): Server[] =>
    role === 'server' && stats !== undefined ? [{ id, stats }] : [],
  );
  const primary = primaryOf(statuses);
  const hosts = hostProcesses(statuses);
  const searching = [
    ...statuses.flatMap(({ id, stats: { search, http = {}, guards = {} } = {} }) =>
      search === undefined ? [] : [{ id, search, http, guards }],
    ),
    ...hosts.map(({ id, report: { search, http, guards = {} } }) => ({
      id,
      search,
      http,
      guards,
    })),
  ];
  const workers = servers.flatMap(({ id: owner, stats }) =>
    workersOf(owner, stats).flatMap(({ id, report }) =>
      report === undefined ? [] : [{ id, ...report }],
    ),
  );
  return {
    server: { ...versions, accept, dispatch, coalesce, one: 1 },
    processes: processSources(statuses, context),
    routes: servers.flatMap(({ id: process, stats: { routes } }) =>
      routes.map((route) => ({ ...route, process })),
    ),
    searches: [...searching, ...workers].flatMap(({ id: process, search }) =>
      search === undefined ? [] : [{ ...search, process }],
    ),
    carriers: [
      ...searching.flatMap((one) => carriersOf(Object.keys(one.search.carriers), one)),
      // A search counts in the server process, unless the worker ran it whole.
      ...workers.flatMap((one) => carriersOf(Object.keys(one.http), one)),
    ],
    coalescers: [
      ...(coalesce === 'off' ? [] : servers.flatMap(ownCoalescers)),
      ...(primary ? coalescersOf({ process: 'primary', scope: 'machine' }, primary) : []),
      ...servers.flatMap(sharedCoalescers),
      ...statuses.flatMap(({ id: process, stats }) =>
        stats?.keys ? coalescersOf({ process, scope: 'fleet' }, stats.keys) : [],
      ),
      ...hosts.flatMap(({ id: process, report }) =>
        coalescersOf({ process, scope: 'fleet' }, report),
      ),
    ],
    kept: [
      ...statuses.map(({ id, stats }) => ({ id, ...stats })),
      ...workers,
      ...keepers(hosts),
    ].flatMap(keptOf),
    pools: [
      ...(primary ? [poolOf(['primary', 'serving', serving], primary.cluster.dispatcher)] : []),
      ...servers.flatMap(({ id: process, stats: { dispatch: own } }) =>
        isLent(own) ? [] : [poolOf([process, 'tasks', slotsOf(own, dispatchWorkers)], own)],
      ),
      ...statuses.flatMap(({ id: process, stats }) =>
        stats?.keys ? [poolOf([process, 'keys'], stats.keys.dispatch)] : [],
      ),
    ],
    fleets: fleetSources(statuses),
    hosts: hostSources(statuses),
    router: primary?.router && routerOf(primary.router, servers),
    cluster: accept === 'cluster' && primary ? clusterOf(primary) : undefined,
    coordinators: servers.flatMap(({ id: process, stats: { shared } }) =>
      shared === undefined ? [] : [{ ...shared.coordinator, process }],
    ),
  };
}

type CoalescerSource = RowSource<typeof figures.coalescers.figures>;
type Place = Pick<CoalescerSource, 'process' | 'scope'>;

function coalescersOf(
  place: Place,
  stats: SomeCoalescers<NonNullable<PrimaryStats['coalesce']>>,
): CoalescerSource[] {
  return QUESTION_NAMES.flatMap((name) => {
    const one = ofCoalescer(stats, name);
    return one === undefined ? [] : [{ ...one, ...place }];
  });
}

/** 0 of everything that a coalescer counts, for what counts less. */
const noCalls = zerosOf(figures.coalescers);

function ownCoalescers({ id: process, stats }: Server): CoalescerSource[] {
  const place = { process, scope: 'process' } as const;
  const { asked, joined, inFlight } = stats.streams;
  const loaded = asked - joined;
  return [
    ...coalescersOf(place, stats),
    { ...noCalls, ...place, name: 'streams', asked, joined, inFlight, loaded, led: loaded },
  ];
}

/** Loads that the coalescers of a process shared by Redis: led, followed, and answered from what is kept. */
function sharedCoalescers({ id: process, stats: { shared } }: Server): CoalescerSource[] {
  // Those of kept answers are loads of questions to carriers, not of searches.
  const loads = Object.entries(shared?.loads ?? {}).filter(([name]) => name !== KEPT_LOADS);
  return loads.map(([name, stats]) => {
    const { asked, followed: joined, kept: hits, inFlight } = stats;
    const led = stats.led + stats.local;
    const counted = { ...noCalls, asked, led, joined, hits, loaded: led, inFlight };
    return { ...counted, process, name, scope: 'shared' };
  });
}

/** Reports of hosts by their ids. */
function keepers(hosts: readonly HostProcess[]) {
  return hosts.map(({ id, report: { kept } }) => ({ id, kept }));
}

/** Returns what a process keeps, if it keeps anything. */
function keptOf({ id, kept }: Keeper): RowSource<typeof figures.kept.figures>[] {
  if (kept === undefined) return [];
  const { hits, staleHits } = kept;
  return [{ ...kept, process: id, fresh: hits - staleHits, stale: staleHits }];
}

interface Keeper {
  readonly id: string;
  readonly kept?: ServerStats['kept'];
}

/** Workers that a pool is to have: in-process it is the process, and a fleet has as many as come. */
function slotsOf({ kind }: ServerStats['dispatch'], workers: number): number | undefined {
  if (kind === 'nats') return undefined;
  return kind === 'in-process' ? 1 : workers;
}

function poolOf(
  [process, pool, slots]: readonly [process: string, pool: string, slots?: number | undefined],
  stats: ServerStats['dispatch'],
) {
  const workers: Record<string, number> = {};
  for (const { state } of stats.workers) workers[state] = (workers[state] ?? 0) + 1;
  return {
    ...stats,
    ...roundedAll(stats.histograms),
    process,
    pool,
    id: poolId(process, pool),
    slots,
    size: workers['ready'] ?? 0,
    workers,
    states: { starting: 0, ready: 0, retiring: 0, stopping: 0, ...workers },
    fallback: stats.fallback && rowOf(figures.fallbacks, stats.fallback),
  };
}

function clusterOf({ cluster }: PrimaryStats): RowSource<typeof figures.cluster.figures> {
  const {
    waitingConnections: waiting,
    droppedConnections: dropped,
    wedgedWorkers: wedged,
  } = cluster;
  return { waiting, dropped, wedged };
}

function routerOf(stats: NonNullable<PrimaryStats['router']>, servers: readonly Server[]) {
  const forwarded = new Map(servers.map(({ id, stats: own }) => [id, own.attached?.forwarded]));
  const workers = stats.workers
    .map((worker) =>
      rowOf(figures.slots, { ...worker, forwarded: forwarded.get(`server-${worker.slot}`) ?? 0 }),
    )
    .sort((one, other) => Number(one.slot) - Number(other.slot));
  const waiting = stats.reading + stats.waiting;
  return { ...stats, process: 'primary', waiting, claim: stats.claimMs, workers };
}

/** 0 of everything that is counted of calls to a carrier. */
const noRequests = zerosOf(figures.calls);

/** Carriers as one process has asked them; the calls by HTTP may be made by another process. */
function carriersOf(
  ids: readonly string[],
  {
    id: process,
    search,
    http,
    guards = {},
  }: Pick<TaskWorkerReport, 'search' | 'http' | 'guards'> & { readonly id: string },
) {
  return ids.map((id) => {
    const states: Readonly<Record<string, number>> = search?.carriers[id] ?? {};
    return {
      process,
      id,
      states,
      latency: search?.latency[id] ?? {},
      http: http[id] ?? noRequests,
      guard: guards[id],
    };
  });
}
