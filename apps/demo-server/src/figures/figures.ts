// Every figure of the server: a row for each, with all places that show it. A table is what one kind of source has, by the names
// of its members, which `sources.ts` gives it: a figure that is a member already is shown by its row alone.
import { figures as library } from '@ticketing/otel/prometheus';
import { type TSchema, Type } from 'typebox';
import { SETTLED_STATES } from '../search/carrier-states.ts';
import { type Metric, rowSchema, statsSchema, table } from './figure.ts';
import {
  Buckets,
  count,
  counts,
  integer,
  number,
  ProcessState,
  Times,
  text,
  WORKER_STATES,
} from './schemas.ts';

/** Shown in `/stats` alone. */
function inStats<Name extends string>(...names: readonly Name[]) {
  const figures = names.map((name) => [name, { stats: count }] as const);
  return Object.fromEntries(figures) as Record<Name, { readonly stats: typeof count }>;
}

/** Shown in `/stats` and in the view. */
function both<S extends TSchema, M extends Metric | undefined = undefined>(schema: S, metric?: M) {
  return { stats: schema, view: schema, metric: metric as M };
}

/** Returns a metric that no library has. */
const metric = (kind: Metric['kind']) => (name: string, help: string) =>
  ({ name, kind, unit: '', help, labels: {} }) satisfies Metric;
const [counter, gauge, histogram] = [metric('counter'), metric('gauge'), metric('histogram')];

const optional = Type.Optional;
const described = (description: string) => Type.String({ description });
const fraction = (description: string) => Type.Number({ description });

/** Counters since the start of the process whose id is `process`; who shows a rate subtracts. */
const process = { view: described('Id of the process that counts') };
const byProcess = { process: 'process' } as const;
const byId = { process: 'id' } as const;
const byPool = { process: 'process', pool: 'pool' } as const;
const byFleet = { process: 'process', fleet: 'id' } as const;
const byHost = { process: 'process', fleet: 'fleet', host: 'name' } as const;
const byCarrier = { process: 'process', carrier: 'id' } as const;
const byCoalescer = { process: 'process', name: 'name', scope: 'scope' } as const;
const bySlot = { process: 'process', slot: 'slot' } as const;

/** The server as a whole. */
export const server = table(
  {
    version: 'ticketing',
    node: 'node',
    accept: 'accept',
    dispatch: 'dispatch',
    coalesce: 'coalesce',
  },
  { one: { metric: gauge('ticketing_info', 'What runs: always 1') } },
);

const up = 'Whether a process of the server reports: 0 for one that did not within a second';

export const identity = table(byId, {
  up: { metric: gauge('ticketing_process_up', up) },
  id: {
    stats: Type.String({ examples: ['primary', 'server-0'] }),
    view: described('primary, server-0, server-0/task-1: unique, a successor takes it over'),
  },
  kind: { view: Type.Enum(['primary', 'server', 'task', 'thread', 'host']) },
  pid: both(count),
  threadId: { view: optional(count) },
  state: both(ProcessState),
  ageMs: both(number),
});

export const traffic = table(byId, {
  active: { metric: gauge('http_server_active_requests', 'Requests in flight') },
  inFlight: { view: optional(integer('Requests; of a task worker: tasks')) },
  connections: { view: optional(count) },
  requests: { view: optional(integer('Answered so far; of a task worker: tasks')) },
  refused: { view: optional(integer('Requests refused under overload')) },
  waiting: { view: optional(integer('Requests that wait for admission')) },
  limit: { view: optional(integer('Requests that it works on at a time; absent: no limit')) },
});

const late = 'How late timers were in the last second';
const busy = 'Busy share of the event loop';

export const load = table(byId, {
  // That of a thread is in its process.
  residentBytes: { metric: gauge('process_resident_memory_bytes', 'Resident memory') },
  memoryBytes: { stats: count, view: optional(integer('Of a thread: its heap')) },
  cpuMs: {
    stats: number,
    view: optional(fraction('CPU time so far, threads included; not of a thread')),
    metric: counter('process_cpu_seconds_total', 'CPU time, in user and system mode'),
  },
  startedMs: {
    metric: gauge('process_start_time_seconds', 'Start of the process since the Unix epoch'),
  },
  eventLoop: { stats: Type.Object({ p50Ms: number, p99Ms: number, maxMs: number }) },
  loopP50Ms: {
    view: optional(number),
    metric: gauge('nodejs_eventloop_lag_p50_seconds', `${late}: median`),
  },
  loopP99Ms: {
    view: optional(fraction(late)),
    metric: gauge('nodejs_eventloop_lag_p99_seconds', `${late}: p99`),
  },
  utilisation: {
    stats: Type.Number({ minimum: 0, maximum: 1 }),
    view: optional(fraction(`${busy}, 0 to 1`)),
    metric: gauge('nodejs_eventloop_utilization', `${busy} in the last second`),
  },
});

export const processes = table(byId, {
  ...identity.figures,
  ...load.figures,
  ...traffic.figures,
  pool: { view: optional(described('Id of the pool whose tasks it runs')) },
  window: { view: optional(integer('Tasks that it is given at a time')) },
  isElsewhere: {
    view: optional(Type.Boolean({ description: 'A host that this server has not started' })),
  },
});

const byRoute = {
  process: 'process',
  http_request_method: 'method',
  http_route: 'route',
  http_response_status_code: 'status',
} as const;
const answered = histogram(
  'http_server_request_duration_seconds',
  'Time from the head of a request until its answer was handed to the system',
);

export const routes = table(byRoute, {
  process,
  method: both(text),
  route: both(text),
  status: both(Type.Integer()),
  latency: both(Buckets, answered),
});

export const searches = table(byProcess, {
  process,
  state: { stats: text },
  running: both(count),
  complete: both(count, library.search),
  partial: both(count, library.search),
  aborted: both(count, library.search),
  carriers: { stats: Type.Record(text, Type.Object(counts(...SETTLED_STATES))) },
  latency: {
    stats: Type.Record(text, Type.Record(text, Buckets), { description: 'By carrier and state' }),
  },
});

/** Calls to a carrier by HTTP. */
export const calls = table(byCarrier, {
  inFlight: both(count),
  sent: both(count, library.carrierHttpSent),
  retried: both(count, library.carrierHttpRetried),
  refused: both(count, library.carrierHttpRefused),
});

const guardState = Type.Enum(['closed', 'half-open', 'open'], {
  description: 'open: nobody is asked; half-open: one call at a time finds out',
});
const byGuard = { process: 'process', name: 'id' } as const;

/** Guards of carriers, in the processes that search. */
export const guards = table(byGuard, {
  circuit: both(guardState),
  circuits: { metric: library.guardCircuit },
  openMs: both(integer('Milliseconds until an open circuit lets a call through, else 0')),
  opened: both(count, library.guardOpened),
  pausedMs: both(
    integer('Milliseconds left of the pause that the carrier asked for, else 0'),
    library.guardPaused,
  ),
  pauses: both(count, library.guardPauses),
  inFlight: both(integer('Attempts under way'), library.guardActive),
  calls: both(count),
  success: both(count, library.guardAttempts),
  failure: both(integer('Attempts that show a fault of the carrier'), library.guardAttempts),
  throttled: both(count, library.guardAttempts),
  ignored: both(integer('Attempts that show nothing of it'), library.guardAttempts),
  retries: both(count, library.guardRetries),
  hedges: both(count, library.guardHedges),
  refusedByCircuit: { ...both(count, library.guardRefused), as: 'circuit' },
  refusedByRate: {
    ...both(integer('Calls within a pause, or above the rate'), library.guardRefused),
    as: 'rate',
  },
  budget: both(optional(fraction('Retries and hedges that are left now'))),
  tokens: both(optional(fraction('Questions that may be sent now; absent: no --rate'))),
});

export const carriers = table(byCarrier, {
  process,
  id: { view: text },
  states: { view: Type.Record(text, count) },
  latency: {
    view: Type.Record(text, Buckets, { description: 'By state' }),
    metric: library.carrierDuration,
  },
  http: { view: rowSchema(calls) },
  guard: {
    view: optional(rowSchema(guards, { description: 'Absent: not guarded, or not asked' })),
  },
});

const met = {
  ...library.coalescerCalls,
  help: 'Calls by what they met; calls of other scopes than process are those that lead in a process',
};
const Scope = Type.Enum(['process', 'machine', 'fleet', 'shared'], {
  description:
    'machine: its calls are the loads of those of the processes; fleet: of all members of the fleet; shared: of those that share by Redis',
});

export const coalescers = table(byCoalescer, {
  process,
  name: both(text),
  scope: { view: Scope },
  asked: both(count),
  led: {
    stats: count,
    view: integer('Calls that started a load which others could join'),
    metric: met,
  },
  joined: both(count, met),
  hits: { ...both(count, met), as: 'hit' },
  loaded: both(count),
  overflowed: both(count, met),
  inFlight: both(count),
  ...inStats('staleHits', 'errorHits', 'failed', 'left', 'aborted', 'unshared', 'kept'),
  ...inStats('keptBytes', 'tags', 'tagEntries', 'outdated'),
});

const keptMet = {
  ...counter('ticketing_kept_questions_total', 'Questions to carriers by the answers they met'),
  labels: { outcome: '' },
};

/** Answers of carriers that a process keeps. */
export const kept = table(byProcess, {
  process,
  asked: { view: integer('Questions to carriers') },
  fresh: { view: integer('Questions answered by a fresh answer'), metric: keptMet },
  stale: { view: integer('Questions answered by a stale answer'), metric: keptMet },
  joined: { view: integer('Questions that joined a load in flight'), metric: keptMet },
  led: { view: integer('Questions that asked the carrier'), metric: keptMet },
  loaded: { view: integer('Loads, those in the background included') },
  failed: {
    view: integer('Loads that failed'),
    metric: counter('ticketing_kept_failed_loads_total', 'Loads of kept answers that failed'),
  },
  kept: {
    view: integer('Answers that are kept'),
    metric: gauge('ticketing_kept_answers', 'Answers of carriers that are kept'),
  },
  keptBytes: {
    view: integer('Their size, about as JSON'),
    metric: gauge('ticketing_kept_bytes', 'About the size of the kept answers as JSON'),
  },
});

/** Calls of a pool of hosts that the server process runs itself. */
export const fallbacks = table(byPool, {
  ran: both(count, library.dispatchFallback),
  refused: both(count, library.dispatchFallback),
  ...inStats('inFlight'),
});

const Worker = Type.Object({
  ...counts('workerId', 'slot', 'inFlight', 'done', 'window'),
  pid: optional(count),
  state: Type.Enum([...WORKER_STATES]),
  ageMs: number,
  threadId: optional(count),
  utilisation: optional(number),
  memoryBytes: optional(count),
  heapBytes: optional(count),
  report: optional(Type.Unknown({ description: "The server's traffic" })),
  moduleReport: optional(
    Type.Unknown({ description: 'Of a worker of carriers: its calls, and its event loop' }),
  ),
});

const ofTimes = <S extends TSchema>(schema: S) =>
  Type.Object({ wait: schema, run: schema, transport: schema });

/** Pools of workers that run tasks. */
export const pools = table(byPool, {
  process,
  id: { view: text },
  name: { stats: text },
  kind: both(text),
  state: { stats: text },
  completed: both(count, library.dispatchTasks),
  failed: both(count, library.dispatchTasks),
  aborted: both(count, library.dispatchTasks),
  rejected: both(count, library.dispatchTasks),
  refused: both(count),
  retried: both(count),
  ...inStats('asked', 'moved', 'returned', 'idled'),
  wait: { view: Times, metric: library.dispatchWait },
  run: { view: Times, metric: library.dispatchRun },
  transport: { view: Times, metric: library.dispatchTransport },
  histograms: { stats: ofTimes(Times) },
  buckets: both(ofTimes(Buckets)),
  queued: both(count, library.dispatchQueued),
  running: both(count, library.dispatchRunning),
  expectedWaitMs: { stats: optional(number) },
  size: { view: integer('Workers that take tasks') },
  slots: { view: optional(integer('Workers that it is to have; absent: as many as come')) },
  states: { metric: library.dispatchWorkers },
  workers: { stats: Type.Array(Worker), view: Type.Record(text, count) },
  lost: both(count, library.dispatchWorkerEnds),
  killed: both(count, library.dispatchWorkerEnds),
  recycled: both(count, library.dispatchWorkerEnds),
  spawned: both(count),
  circuit: { stats: Type.Enum(['closed', 'open', 'half-open']), view: text },
  fallback: {
    stats: optional(statsSchema(fallbacks)),
    view: optional(rowSchema(fallbacks, { description: 'Calls that no host took' })),
  },
});

const rtt = 'Round trip of the last beat';

/** Hosts, as each process sees them. */
export const hosts = table(byHost, {
  process,
  fleet: { view: Type.Enum(['tasks', 'keys']) },
  host: { stats: text },
  id: { view: text },
  name: { view: text },
  zone: both(optional(text)),
  revision: both(optional(text)),
  capacity: { stats: count },
  state: {
    stats: Type.Enum(['serving', 'leaving', 'silent']),
    view: Type.Enum(['joined', 'known', 'leaving', 'silent', 'refused'], {
      description: 'known: it has announced itself, and no session is open',
    }),
  },
  refused: { stats: optional(text), view: optional(described('Why it is passed over')) },
  isSelf: { view: optional(Type.Boolean({ description: 'The process itself' })) },
  rttMs: {
    view: optional(fraction(rtt)),
    metric: gauge('ticketing_fleet_host_rtt_seconds', `${rtt}, by name of the host`),
  },
  credit: {
    view: optional(integer('Calls that it takes at a time')),
    metric: gauge('ticketing_fleet_host_credit', 'Calls that a host takes at a time, by its name'),
  },
  inFlight: { view: optional(count) },
  done: { view: optional(count) },
});

export const fleetHosts = table(byFleet, { states: { metric: library.fleetHosts } });

const byReason = { description: 'Hosts that were passed over, by reason' };
const bySign = { description: 'Hosts that were lost, by sign' };

/** Fleets, as each process sees them. */
export const fleets = table(byFleet, {
  process,
  fleet: { stats: text },
  id: {
    stats: text,
    view: Type.Enum(['tasks', 'keys'], {
      description: "tasks: hosts that run carriers' tasks; keys: hosts that answer questions",
    }),
  },
  name: { view: text },
  state: { stats: text, view: described('connected, connecting, cut-off or closed') },
  hosts: { stats: Type.Array(statsSchema(hosts)) },
  refused: {
    stats: Type.Record(text, count),
    view: Type.Record(text, count, byReason),
    metric: library.fleetRefused,
  },
  lost: {
    stats: Type.Record(text, count),
    view: Type.Record(text, count, bySign),
    metric: library.fleetLost,
  },
});

const served = {
  ...counter(
    'ticketing_fleet_served_total',
    'Questions of others by how they ended; busy: sent back',
  ),
  labels: { outcome: '' },
};
const Session = Type.Object({
  dispatcher: text,
  ...counts('session', 'running', 'credit'),
  ageMs: number,
});

/** Calls by JSON, without a dispatcher, of hosts that take them. */
const Json = Type.Object({
  ...counts('running', 'completed', 'failed', 'busy', 'ignored'),
  denied: Type.Array(text, { description: 'Subjects to which it may not subscribe' }),
});

/** Calls from other members to a process. */
export const members = table(byProcess, {
  id: { stats: text },
  fleet: { stats: text },
  zone: { stats: optional(text) },
  revision: { stats: optional(text) },
  state: both(text),
  tasks: { stats: Type.Array(text) },
  sessions: { stats: Type.Array(Session), view: count },
  running: both(count),
  completed: both(count, served),
  failed: both(count, served),
  aborted: both(count, served),
  busy: both(count, served),
  refused: { stats: Type.Record(text, count) },
  json: { stats: optional(Json) },
  ...inStats('capacity', 'asked', 'opened', 'lost'),
});

const questions = {
  ...counter(
    'ticketing_fleet_questions_total',
    'Questions by where their key belongs: here, or on another host',
  ),
  labels: { owner: '' },
};
const here = integer('Questions whose key belongs here');
const elsewhere = integer('Questions that another host was asked');

/** Questions of a process that shares them with a fleet. */
export const keys = table(byProcess, {
  own: { stats: here, view: optional(here), metric: questions },
  others: { stats: elsewhere, view: optional(elsewhere), metric: questions },
  served: {
    view: optional(rowSchema(members, { description: 'What others ask of this process' })),
  },
});

/** Processes, as the router sees them. While one is replaced, two have its slot. */
export const slots = table(bySlot, {
  slot: both(text),
  pid: { stats: optional(count) },
  state: { stats: Type.Enum(['starting', 'ready', 'stuck', 'retired', 'down']), view: text },
  queued: both(count),
  open: both(count, library.routerOpen),
  handedOver: both(count),
  forwarded: { view: integer('Requests that went to the process of their key') },
});

export const router = table(byProcess, {
  state: { stats: text },
  accepted: both(count),
  reading: { stats: count },
  waiting: { stats: count, view: integer('Connections that are read or wait') },
  handedOver: { ...both(count, library.routerConnections), as: 'handed-over' },
  refused: both(count, library.routerConnections),
  rerouted: both(count, library.routerConnections),
  gone: both(count, library.routerConnections),
  answered: { stats: count },
  claimMs: { stats: Buckets },
  claim: { view: Buckets, metric: library.routerClaim },
  ended: { stats: Type.Object(counts('workers', 'handedOver')) },
  workers: { stats: Type.Array(statsSchema(slots)), view: Type.Array(rowSchema(slots)) },
});

/** Connections as the primary of `--accept cluster` hands them to the processes. */
export const cluster = table(byProcess, {
  waiting: { view: integer('Connections that wait for a process') },
  dropped: { view: integer('Connections that none took in time') },
  wedged: { view: integer('Processes that were replaced because they took none') },
});

/** Connections to Redis, of the processes that share loads by it. */
export const coordinators = table(byProcess, {
  process,
  name: { view: text },
  state: {
    view: Type.Enum(['up', 'down'], { description: 'down: each process loads for itself' }),
  },
  waiting: { view: count },
  errors: { view: count },
});
