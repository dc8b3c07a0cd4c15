import type { CarrierState } from '@ticketing/core';
import { Type } from 'typebox';

/** As the libraries have it. Declared here: browsers read these types, too. */
interface BucketCounts {
  readonly leMs: readonly number[];
  readonly counts: readonly number[];
  readonly sumMs: number;
}

/** Every state in which a carrier ends. */
export const SETTLED_STATES = [
  'ok',
  'empty',
  'timeout',
  'error',
  'cancelled',
  'rejected-busy',
  'rate-limited',
] as const satisfies readonly Exclude<CarrierState, 'running'>[];

const count = Type.Integer({ minimum: 0 });
const figure = Type.Number();
const counts = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>;
const text = Type.String();

/** Counts of values up to each bound, one more for those above all. Not cumulative. */
export const Buckets = Type.Unsafe<BucketCounts>(
  Type.Object(
    {
      leMs: Type.Array(figure, { description: 'Upper bounds in milliseconds' }),
      counts: Type.Array(count, { description: 'Values within each bound; the last: above all' }),
      sumMs: figure,
    },
    { $id: 'Buckets' },
  ),
);

export const Times = Type.Object(
  {
    ...counts('count'),
    mean: figure,
    p50: figure,
    p90: figure,
    p99: figure,
    max: figure,
  },
  { $id: 'Times', description: 'Milliseconds since the start; quantiles within 7 %' },
);

const Coalescer = Type.Object(
  {
    name: text,
    ...counts(
      'asked',
      'led',
      'joined',
      'loaded',
      'hits',
      'staleHits',
      'errorHits',
      'failed',
      'left',
    ),
    ...counts('aborted', 'overflowed', 'inFlight', 'unshared', 'kept'),
  },
  { $id: 'Coalescer', description: 'Counters of a coalescer' },
);

const workerStates = ['starting', 'ready', 'retiring', 'stopping'] as const;
export const ProcessState = Type.Enum([...workerStates, 'silent'], {
  description: 'silent: it did not report within a second',
});

const Dispatcher = Type.Object(
  {
    name: text,
    kind: text,
    state: text,
    ...counts('queued', 'running', 'asked', 'completed', 'failed', 'aborted', 'rejected'),
    ...counts('refused', 'retried', 'moved', 'returned'),
    ...counts('spawned', 'lost', 'killed', 'recycled', 'idled'),
    expectedWaitMs: Type.Optional(figure),
    circuit: Type.Enum(['closed', 'open', 'half-open']),
    fallback: Type.Optional(Type.Object(counts('inFlight', 'ran', 'refused'))),
    workers: Type.Array(
      Type.Object({
        ...counts('workerId', 'slot', 'inFlight', 'done'),
        pid: Type.Optional(count),
        state: Type.Enum([...workerStates]),
        window: count,
        ageMs: figure,
        threadId: Type.Optional(count),
        utilisation: Type.Optional(figure),
        memoryBytes: Type.Optional(count),
        report: Type.Optional(Type.Unknown({ description: "The server's traffic" })),
        moduleReport: Type.Optional(
          Type.Unknown({ description: 'Of a worker of carriers: its calls, and its event loop' }),
        ),
      }),
    ),
    histograms: Type.Object({ wait: Times, run: Times, transport: Times }),
    buckets: Type.Object({ wait: Buckets, run: Buckets, transport: Buckets }),
  },
  { $id: 'Dispatcher', description: 'Counters of a pool of workers' },
);

const ProcessFigures = Type.Object({
  memoryBytes: count,
  cpuMs: figure,
  utilisation: Type.Number({ minimum: 0, maximum: 1 }),
  eventLoop: Type.Object({ p50Ms: figure, p99Ms: figure, maxMs: figure }),
});

const known = {
  id: Type.String({ examples: ['primary', 'server-0'] }),
  pid: count,
  state: ProcessState,
  ageMs: figure,
};

const Search = Type.Object({
  state: text,
  ...counts('running', 'complete', 'partial', 'aborted'),
  carriers: Type.Record(text, Type.Object(counts(...SETTLED_STATES))),
  latency: Type.Record(text, Type.Record(text, Buckets), {
    description: 'By carrier and state',
  }),
});

const CarrierCalls = Type.Record(
  text,
  Type.Object(counts('inFlight', 'sent', 'retried', 'refused')),
);

/** What another process may report of a worker that runs carriers' tasks. */
export const TaskReport = Type.Object({
  http: CarrierCalls,
  process: ProcessFigures,
  search: Type.Optional(Search),
});

/** What a host may report: hosts may be of another version, or of anybody who has a password of the fleet. */
export const ReportOfHost = Type.Object({
  ...TaskReport.properties,
  // A part of ids, and of labels of metrics.
  name: Type.String({ pattern: '^[\\w.:-]{1,64}$' }),
  pid: count,
  ageMs: figure,
  search: Search,
  coalesce: Type.Optional(Coalescer),
  worms: Type.Object({ coalesce: Type.Optional(Coalescer) }),
});

const Attached = Type.Object(counts('connections', 'claimed', 'requests', 'forwarded'));

const Fleet = Type.Object(
  {
    fleet: text,
    id: text,
    state: text,
    hosts: Type.Array(
      Type.Object({
        host: text,
        zone: Type.Optional(text),
        revision: Type.Optional(text),
        capacity: count,
        state: Type.Enum(['serving', 'leaving', 'silent']),
        refused: Type.Optional(text),
      }),
    ),
    refused: Type.Record(text, count),
    lost: Type.Record(text, count),
  },
  { $id: 'Fleet', description: 'Hosts of a fleet, as this process sees them' },
);

const Keys = Type.Object(
  {
    own: Type.Integer({ description: 'Questions whose key belongs here' }),
    others: Type.Integer({ description: 'Questions that another host was asked' }),
    coalesce: Type.Optional(Coalescer),
    worms: Type.Object({ coalesce: Type.Optional(Coalescer) }),
    hosts: Fleet,
    member: Type.Object({
      ...{ id: text, fleet: text, state: text, tasks: Type.Array(text) },
      ...{ zone: Type.Optional(text), revision: Type.Optional(text) },
      ...counts('capacity', 'running', 'asked', 'completed', 'failed', 'aborted', 'busy'),
      ...counts('opened', 'lost'),
      refused: Type.Record(text, count),
      sessions: Type.Array(
        Type.Object({
          ...{ dispatcher: text, session: count, running: count, credit: count, ageMs: figure },
        }),
      ),
    }),
    dispatch: Dispatcher,
  },
  { $id: 'Keys', description: 'A member of the fleet that shares questions' },
);

const Shared = Type.Object(
  {
    coordinator: Type.Object({
      name: text,
      state: Type.Enum(['up', 'down'], { description: 'down: each process loads for itself' }),
      ...counts('claims', 'values', 'failures', 'leases', 'waits', 'unreached', 'unshared'),
      ...counts('finished', 'refused', 'released', 'renewed', 'lost', 'forgotten'),
      ...counts('errors', 'timeouts', 'downs', 'held', 'waiting'),
      lastError: Type.Optional(text),
    }),
    loads: Type.Record(
      text,
      Type.Object({
        name: text,
        ...counts('asked', 'led', 'local', 'kept', 'followed', 'renewals', 'repeated'),
        ...counts('unshared', 'undecoded', 'inFlight'),
      }),
      { description: 'By question' },
    ),
  },
  { $id: 'Shared', description: 'Loads that servers share by Redis' },
);

const ServerCounters = Type.Object(
  {
    ...known,
    role: Type.Literal('server'),
    admission: Type.Object({
      ...counts('inFlight', 'waiting', 'admitted', 'joined', 'left'),
      limit: Type.Union([count, Type.Null()], { description: 'null: no limit' }),
      refused: Type.Object(counts('busy', 'late')),
    }),
    routes: Type.Array(
      Type.Object({ method: text, route: text, status: Type.Integer(), latency: Buckets }),
      { description: 'How long answers took' },
    ),
    coalesce: Type.Optional(Coalescer),
    streams: Type.Object(counts('asked', 'joined', 'inFlight')),
    encoding: Type.Object(counts('asked', 'compressed', 'bytesIn', 'bytesOut'), {
      description: 'Compressed bodies that were sent, and how often one was compressed',
    }),
    search: Search,
    dispatch: Dispatcher,
    hosts: Type.Optional(Fleet),
    keys: Type.Optional(Keys),
    shared: Type.Optional(Shared),
    http: CarrierCalls,
    worms: Type.Object({
      kind: text,
      ...counts('queries', 'running', 'errors'),
      ms: Times,
      driver: Type.Unknown({ description: "The driver's own counters" }),
      coalesce: Type.Optional(Coalescer),
    }),
    process: ProcessFigures,
    attached: Type.Optional(Attached),
  },
  { $id: 'ServerCounters', description: 'A server process' },
);

const PrimaryCounters = Type.Object(
  {
    ...known,
    role: Type.Literal('primary'),
    coalesce: Type.Optional(Coalescer),
    worms: Type.Object({ coalesce: Type.Optional(Coalescer) }),
    keys: Type.Optional(Keys),
    cluster: Type.Object({
      name: text,
      state: text,
      ...counts('requests', 'inFlight', 'connections', 'waitingConnections'),
      ...counts('droppedConnections', 'wedgedWorkers', 'memoryBytes'),
      dispatcher: Dispatcher,
    }),
    router: Type.Optional(
      Type.Object({
        state: text,
        ...counts('accepted', 'reading', 'waiting', 'handedOver', 'gone', 'refused', 'rerouted'),
        claimMs: Buckets,
        ended: Type.Object(counts('workers', 'handedOver')),
        workers: Type.Array(
          Type.Object({
            slot: text,
            pid: Type.Optional(count),
            state: Type.Enum(['starting', 'ready', 'stuck', 'retired', 'down']),
            ...counts('queued', 'open', 'handedOver'),
          }),
        ),
      }),
    ),
    search: Type.Optional(Search),
    http: Type.Optional(CarrierCalls),
    process: ProcessFigures,
  },
  { $id: 'PrimaryCounters', description: 'The primary' },
);

const SilentProcess = Type.Object(
  { ...known, role: Type.Literal('server') },
  {
    $id: 'SilentProcess',
    description: 'A process that has not reported: it starts, stops or hangs',
  },
);

/** The answer of `GET /stats`. */
export const StatsDocument = Type.Object(
  { processes: Type.Array(Type.Union([ServerCounters, PrimaryCounters, SilentProcess])) },
  { $id: 'Stats' },
);

/** The answer of `GET /config`. */
export const ConfigDocument = Type.Object(
  {
    accept: text,
    workers: count,
    dispatch: text,
    dispatchWorkers: count,
    coalesce: text,
    fleet: text,
    natsUrl: Type.Optional(text),
    redisUrl: Type.Optional(text),
    carriers: Type.Array(text),
    carriersUrl: text,
    startedAt: Type.Integer({ description: 'Epoch ms' }),
    versions: Type.Object({ ticketing: text, node: text }),
    processes: Type.Array(
      Type.Object({
        id: Type.String({ examples: ['primary', 'server-0', 'server-0/task-1'] }),
        role: Type.Enum(['primary', 'server', 'task', 'host']),
        pid: count,
        state: ProcessState,
        owner: Type.Optional(Type.String({ description: 'Id of the process that started it' })),
      }),
    ),
  },
  { $id: 'Config', description: 'Every flag by its name in camel case, and what runs' },
);
