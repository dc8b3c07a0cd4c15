import type { CoalescerStats } from '@ticketing/batching';
import type { DispatcherStats, WorkerStats } from '@ticketing/dispatch';
import type { RouterStats } from '@ticketing/socket-router';
import { type Static, Type } from 'typebox';
import type { Flags } from '../flags/flag-specs.ts';
import { withIds } from '../serving/process-ids.ts';
import type {
  PrimaryStats,
  ProcessStatus,
  ServerStats,
  TaskWorkerReport,
} from '../serving/serving.ts';
import { Buckets, ProcessState, Times } from './stats-schemas.ts';
import { versions } from './versions.ts';

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
/** Counters since the start of the process whose id is `process`; who shows a rate subtracts. */
const process = Type.String({ description: 'Id of the process that counts' });

const ProcessRow = Type.Object({
  id: Type.String({
    description: 'primary, server-0, server-0/task-1: unique, a successor takes it over',
  }),
  kind: Type.Enum(['primary', 'server', 'task', 'thread']),
  pid: count,
  threadId: Type.Optional(count),
  state: ProcessState,
  ageMs: Type.Number(),
  memoryBytes: Type.Optional(Type.Integer({ description: 'Of a thread: its heap' })),
  utilisation: Type.Optional(Type.Number({ description: 'Busy share of the event loop, 0 to 1' })),
  loopP99Ms: Type.Optional(Type.Number({ description: 'How late timers were in the last second' })),
  inFlight: Type.Optional(Type.Integer({ description: 'Requests; of a task worker: tasks' })),
  connections: Type.Optional(count),
  requests: Type.Optional(
    Type.Integer({ description: 'Answered so far; of a task worker: tasks' }),
  ),
  refused: Type.Optional(Type.Integer({ description: 'Requests refused under overload' })),
});

const RouteRow = Type.Object({
  process,
  method: text,
  route: text,
  status: Type.Integer(),
  latency: Buckets,
});

const CoalescerRow = Type.Object({
  process,
  name: text,
  scope: Type.Enum(['process', 'machine'], {
    description: 'machine: its calls are the loads of those of the processes',
  }),
  asked: count,
  joined: count,
  hits: count,
  loaded: count,
  overflowed: count,
  inFlight: count,
});

const PoolRow = Type.Object({
  process,
  id: text,
  kind: text,
  size: Type.Integer({ description: 'Workers that take tasks' }),
  workers: Type.Record(text, count),
  queued: count,
  running: count,
  completed: count,
  failed: count,
  aborted: count,
  rejected: count,
  refused: count,
  retried: count,
  lost: count,
  killed: count,
  recycled: count,
  spawned: count,
  circuit: text,
  wait: Times,
  run: Times,
  transport: Times,
  buckets: Type.Object({ wait: Buckets, run: Buckets, transport: Buckets }),
});

const Router = Type.Object({
  accepted: count,
  waiting: Type.Integer({ description: 'Connections that are read or wait' }),
  handedOver: count,
  refused: count,
  rerouted: count,
  gone: count,
  workers: Type.Array(
    Type.Object({
      slot: text,
      state: text,
      queued: count,
      open: count,
      handedOver: count,
    }),
  ),
});

const CarrierRow = Type.Object({
  process,
  id: text,
  states: Type.Record(text, count),
  latency: Type.Record(text, Buckets, { description: 'By state' }),
  http: Type.Object({ inFlight: count, sent: count, retried: count, refused: count }),
});

const UpstreamRow = Type.Object({
  id: text,
  arrived: count,
  answered: count,
  aborted: count,
  open: count,
  plan: Type.Unknown({ description: 'Latency and fault in force, as the simulator has them' }),
});

const Event = Type.Object({
  at: Type.Integer({ description: 'Epoch ms' }),
  kind: Type.Enum([
    'worker-ready',
    'worker-exit',
    'circuit-open',
    'refused',
    'rerouted',
    'worker-stuck',
  ]),
  process,
  text,
});

/** The whole server at one time. Counters are raw. */
export const OperatorView = Type.Object(
  {
    at: Type.Integer({ description: 'Epoch ms' }),
    startedAt: Type.Integer({ description: 'Epoch ms' }),
    versions: Type.Object({ ticketing: text, node: text }),
    modes: Type.Object({
      accept: text,
      workers: count,
      dispatch: text,
      dispatchWorkers: count,
      offload: text,
      coalesce: text,
      routeBy: Type.Optional(text),
      tls: Type.Boolean(),
      controls: Type.Enum(['on', 'read', 'off']),
    }),
    processes: Type.Array(ProcessRow),
    searches: Type.Array(
      Type.Object({ process, running: count, complete: count, partial: count, aborted: count }),
    ),
    routes: Type.Array(RouteRow),
    coalesce: Type.Array(CoalescerRow),
    pools: Type.Array(PoolRow),
    router: Type.Optional(Router),
    carriers: Type.Array(CarrierRow),
    upstream: Type.Optional(
      Type.Array(UpstreamRow, { description: 'What the embedded simulator was asked' }),
    ),
    load: Type.Optional(
      Type.Object({
        path: text,
        perSecond: count,
        seconds: count,
        sent: count,
        answers: Type.Record(text, count, { description: 'By status; 0: no answer' }),
        isRunning: Type.Boolean(),
      }),
    ),
    events: Type.Array(Event, { description: 'The last 50, the newest last' }),
  },
  { $id: 'OperatorView' },
);
export type OperatorView = Static<typeof OperatorView>;
export type OperatorEvent = Static<typeof Event>;
export type UpstreamView = Static<typeof UpstreamRow>;

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
}

/**
 * Returns the whole server in one value, from what its processes report. Nothing is counted twice: calls of a lent dispatcher
 * are the tasks of its owner's pool, and the questions for these counters, which are broadcast, are no tasks.
 */
export function operatorView(
  processes: readonly ProcessStatus[],
  { at, startedAt, flags, upstream, load, events = [] }: ViewContext,
): OperatorView {
  const { accept, workers, dispatch, dispatchWorkers, offload, coalesce, routeBy, tlsCert } = flags;
  const servers = processes.flatMap(({ id, role, stats }) =>
    role === 'server' && stats !== undefined ? [{ id, stats }] : [],
  );
  const primary = processes.find((each) => each.role === 'primary')?.stats;
  const each = <T>(rows: (id: string, stats: ServerStats) => readonly T[]): T[] =>
    servers.flatMap(({ id, stats }) => rows(id, stats));
  const searching = processes.flatMap(({ id, stats: { search, http = {} } = {} }) =>
    search === undefined ? [] : [{ id, search, http }],
  );
  return {
    at,
    startedAt,
    versions,
    modes: {
      ...{ accept, workers, dispatch, dispatchWorkers, offload, coalesce },
      ...(primary?.router && { routeBy }),
      tls: tlsCert !== undefined,
      controls: flags.operator,
    },
    processes: processes.flatMap((one) => [processRow(one, primary), ...taskRows(one)]),
    searches: searching.map(({ id, search: { running, complete, partial, aborted } }) => ({
      ...{ process: id, running, complete, partial, aborted },
    })),
    routes: each((id, { routes }) => routes.map((row) => ({ process: id, ...row }))),
    coalesce: [
      ...(coalesce === 'off' ? [] : each(coalescersOf)),
      ...(primary === undefined ? [] : machineCoalescers(primary)),
    ],
    pools: [
      ...(primary === undefined
        ? []
        : [poolRow('primary', 'primary/serving', primary.cluster.dispatcher)]),
      ...each((id, { dispatch: pool }) => (isLent(pool) ? [] : [poolRow(id, `${id}/tasks`, pool)])),
    ],
    ...(primary?.router && { router: routerOf(primary.router) }),
    carriers: [...searching.flatMap(carriersOf), ...servers.flatMap(taskCarriersOf)],
    ...(upstream && { upstream: [...upstream] }),
    ...(load && { load: { ...load, answers: { ...load.answers } } }),
    events: [...events],
  };
}

type Row<K extends 'processes' | 'coalesce' | 'pools' | 'carriers'> = OperatorView[K][number];

function processRow(one: ProcessStatus, primary: PrimaryStats | undefined): Row<'processes'> {
  const { id, role, pid, state, ageMs } = one;
  const figures = one.stats?.process;
  const worker = primary?.cluster.dispatcher.workers.find((each) => each.pid === pid);
  const row = {
    ...{ id, kind: role, pid, state, ageMs: rounded(ageMs) },
    ...(figures && {
      memoryBytes: figures.memoryBytes,
      utilisation: rounded(figures.utilisation),
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
  const admission = one.stats?.admission;
  return {
    ...row,
    ...(admission && {
      inFlight: admission.inFlight,
      refused: admission.refused.busy + admission.refused.late,
    }),
    ...(report && {
      inFlight: report.inFlight,
      connections: report.connections,
      requests: report.requests,
    }),
    ...(figures === undefined && worker?.memoryBytes && { memoryBytes: worker.memoryBytes }),
  };
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
  if (isLent(dispatch) || dispatch.kind === 'in-process') return [];
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
        ...(figures && { loopP99Ms: figures.eventLoop.p99Ms }),
        ...{ inFlight, requests: done },
      } as const,
    ];
  });
}

/** What a task worker says of itself: nothing before its first report, and in-process. */
function taskReport({ moduleReport }: WorkerStats): TaskWorkerReport | undefined {
  return moduleReport as TaskWorkerReport | undefined;
}

/** Whether its workers are those of another process, which counts their tasks. */
function isLent({ kind }: DispatcherStats): boolean {
  return kind === 'primary';
}

function coalescersOf(id: string, { coalesce, streams, worms }: ServerStats): Row<'coalesce'>[] {
  const { asked, joined, inFlight } = streams;
  const loaded = asked - joined;
  return [
    ...coalescerRows(id, 'process', [coalesce, worms.coalesce]),
    {
      ...{ process: id, name: 'streams', scope: 'process', asked, joined, loaded, inFlight },
      ...{ hits: 0, overflowed: 0 },
    },
  ];
}

function machineCoalescers({ coalesce, worms }: PrimaryStats): Row<'coalesce'>[] {
  return coalescerRows('primary', 'machine', [coalesce, worms.coalesce]);
}

function coalescerRows(
  id: string,
  scope: 'process' | 'machine',
  all: readonly (CoalescerStats | undefined)[],
): Row<'coalesce'>[] {
  return all.flatMap((one) => {
    if (one === undefined) return [];
    const { name, asked, joined, hits, loaded, overflowed, inFlight } = one;
    return [{ process: id, name, scope, asked, joined, hits, loaded, overflowed, inFlight }];
  });
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
  };
}

function routerOf(stats: RouterStats): NonNullable<OperatorView['router']> {
  const { accepted, reading, waiting, handedOver, refused, rerouted, gone, workers } = stats;
  return {
    ...{ accepted, waiting: reading + waiting, handedOver, refused, rerouted, gone },
    workers: workers
      .map(({ slot, state, queued, open, handedOver: taken }) => ({
        ...{ slot, state, queued, open, handedOver: taken },
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

/** Calls to carriers that task workers sent, beside those of their server process: the searches are its own. */
function taskCarriersOf(server: {
  readonly id: string;
  readonly stats: ServerStats;
}): Row<'carriers'>[] {
  const { dispatch } = server.stats;
  if (isLent(dispatch)) return [];
  return withIds(`${server.id}/task`, dispatch.workers).flatMap(({ id, worker }) =>
    Object.entries(taskReport(worker)?.http ?? {}).map(([carrier, http]) => ({
      ...{ process: id, id: carrier, states: {}, latency: {}, http },
    })),
  );
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
