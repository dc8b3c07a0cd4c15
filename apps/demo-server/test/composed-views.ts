import { modesOf } from '../src/figures/operator-view.ts';
import type { OperatorView } from '../src/figures/view-schema.ts';
import type { DispatchName } from '../src/flags/dispatch-kinds.ts';
import type { Accept, Coalesce } from '../src/flags/flag-specs.ts';
import { readFlags } from '../src/flags/read-flags.ts';

/** Composition of a server that a view is made of. */
export interface Composed {
  readonly accept?: Accept;
  readonly workers?: number;
  readonly dispatch?: DispatchName;
  readonly dispatchWorkers?: number;
  readonly coalesce?: Coalesce;
  readonly offload?: string;
  readonly carriers?: readonly string[];
  /** Names of hosts that others run. */
  readonly hosts?: readonly string[];
  readonly health?: readonly OperatorView['health'][number][];
  /** Ids of processes that there are not. */
  readonly gone?: readonly string[];
}

type Process = OperatorView['processes'][number];

function processOf(id: string, kind: Process['kind'], more: Partial<Process> = {}): Process {
  return {
    id,
    kind,
    pid: 1,
    state: 'ready',
    ageMs: 60_000,
    inFlight: 2,
    utilisation: 0.4,
    ...more,
  };
}

const leMs = [10, 100];
const buckets = { leMs, counts: [1, 0, 0], sumMs: 5 };
const times = { count: 1, mean: 1, p50: 1, p90: 1, p99: 1, max: 1 };

function poolOf(process: string, kind: string, slots?: number): OperatorView['pools'][number] {
  const name = process === 'primary' ? 'serving' : 'tasks';
  return {
    ...{
      process,
      id: `${process}/${name}`,
      kind,
      completed: 7,
      failed: 0,
      aborted: 0,
      rejected: 0,
    },
    ...{ refused: 0, retried: 0, wait: times, run: times, transport: times, queued: 1, running: 3 },
    ...{ buckets: { wait: buckets, run: buckets, transport: buckets }, size: slots ?? 2, slots },
    ...{ workers: {}, lost: 0, killed: 0, recycled: 0, spawned: 0, circuit: 'closed' },
  } as OperatorView['pools'][number];
}

/** Makes the view of a server under load. Every counter of a part differs from those beside it. */
export function someView(composed: Composed = {}): OperatorView {
  const { accept = 'single', workers = 1, dispatch = 'in-process', dispatchWorkers = 1 } = composed;
  const { coalesce = 'on', offload = 'whole', carriers = ['renfe', 'ouigo', 'avlo'] } = composed;
  const isSingle = accept === 'single';
  const { flags } = readFlags(
    [
      ...['--accept', accept, '--dispatch', dispatch, '--coalesce', coalesce],
      ...['--carriers', carriers.join(), '--offload', offload],
      ...(isSingle ? [] : ['--workers', String(workers)]),
      ...(coalesce === 'shared' ? ['--redis-url', 'redis://nowhere'] : []),
      ...(coalesce === 'fleet' && dispatch !== 'nats' ? ['--nats-url', 'nats://nowhere'] : []),
    ],
    {},
  );
  const modes = { ...modesOf(flags), dispatchWorkers };
  const servers = Array.from({ length: modes.workers }, (_, slot) => `server-${slot}`);
  const hasPools =
    dispatch === 'fork' || dispatch === 'piscina' || (dispatch === 'cluster' && isSingle);
  const tasksOf = (server: string) =>
    hasPools
      ? Array.from({ length: dispatchWorkers }, (_, slot) =>
          processOf(`${server}/task-${slot}`, 'task', { window: 4, requests: 5 }),
        )
      : [];
  const gone = new Set(composed.gone);
  const processes = [
    ...(isSingle ? [] : [processOf('primary', 'primary')]),
    ...servers.flatMap((id, at) => [
      processOf(id, 'server', { requests: 10 + at, connections: 3 }),
      ...tasksOf(id),
    ]),
    ...(composed.hosts ?? []).map((id) => processOf(id, 'host')),
  ].filter(({ id }) => !gone.has(id));
  const shared = { machine: 'machine', fleet: 'fleet', shared: 'shared' }[coalesce as string];
  const row = (process: string, scope: string, asked: number, led: number) => ({
    ...{ process, name: 'search', scope, asked, led, joined: asked - led, hits: 0, loaded: led },
    ...{ overflowed: 0, inFlight: 1 },
  });
  const perSecond: Record<string, number> = { http: 40, errors: 0, asked: 40, led: 10 };
  for (const id of servers) {
    perSecond[`requests ${id}`] = 40 / servers.length;
    perSecond[`asked process ${id}`] = 40 / servers.length;
    perSecond[`led process ${id}`] = 10 / servers.length;
    perSecond[`tasks ${id}/tasks`] = 30 / servers.length;
  }
  perSecond['tasks primary/serving'] = 30;
  for (const name of composed.hosts ?? []) perSecond[`host ${name}`] = 5;
  for (const id of carriers) perSecond[`calls ${id}`] = 10;
  const recent = Object.fromEntries(
    Object.entries(perSecond).map(([name, rate]) => [name, rate * 10]),
  );
  return {
    ...{ at: 2, startedAt: 1, versions: { ticketing: '0', node: '26' }, modes, processes },
    ...{ searches: [], routes: [], fleets: [], coordinators: [], events: [] },
    coalesce: [
      ...(coalesce === 'off' ? [] : servers.map((id) => row(id, 'process', 20, 10))),
      ...(shared ? [row(shared === 'shared' ? 'server-0' : 'primary', shared, 10, 4)] : []),
    ] as OperatorView['coalesce'],
    pools: [
      ...(isSingle ? [] : [poolOf('primary', 'cluster', modes.workers)]),
      ...(dispatch === 'cluster' && !isSingle
        ? []
        : servers.map((id) => poolOf(id, dispatch, hasPools ? dispatchWorkers : undefined))),
    ],
    hosts: (composed.hosts ?? []).map((name) => ({
      ...{ process: 'server-0', fleet: dispatch === 'nats' ? 'tasks' : 'keys', id: `${name}.x1` },
      ...{ name, state: 'joined', rttMs: 2, credit: 8, inFlight: 1, done: 9 },
    })) as OperatorView['hosts'],
    carriers: carriers.map((id, at) => ({
      ...{ process: 'server-0', id, states: { ok: 4, empty: 1, timeout: 2 }, latency: {} },
      http: { inFlight: at, sent: 20 + at, retried: 0, refused: 0 },
    })),
    rates: { perSecond, recent, p50: {}, p99: {} },
    sample: { at: 2, lines: {} },
    health: [...(composed.health ?? [])],
  };
}
