import { type Static, Type } from 'typebox';
import { Buckets, ProcessState, Times } from './stats-schemas.ts';

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
/** Counters since the start of the process whose id is `process`; who shows a rate subtracts. */
const process = Type.String({ description: 'Id of the process that counts' });

const ProcessRow = Type.Object({
  id: Type.String({
    description: 'primary, server-0, server-0/task-1: unique, a successor takes it over',
  }),
  kind: Type.Enum(['primary', 'server', 'task', 'thread', 'host']),
  pid: count,
  threadId: Type.Optional(count),
  state: ProcessState,
  ageMs: Type.Number(),
  memoryBytes: Type.Optional(Type.Integer({ description: 'Of a thread: its heap' })),
  utilisation: Type.Optional(Type.Number({ description: 'Busy share of the event loop, 0 to 1' })),
  cpuMs: Type.Optional(
    Type.Number({ description: 'CPU time so far, threads included; not of a thread' }),
  ),
  loopP50Ms: Type.Optional(Type.Number()),
  loopP99Ms: Type.Optional(Type.Number({ description: 'How late timers were in the last second' })),
  inFlight: Type.Optional(Type.Integer({ description: 'Requests; of a task worker: tasks' })),
  connections: Type.Optional(count),
  requests: Type.Optional(
    Type.Integer({ description: 'Answered so far; of a task worker: tasks' }),
  ),
  refused: Type.Optional(Type.Integer({ description: 'Requests refused under overload' })),
  isElsewhere: Type.Optional(
    Type.Boolean({ description: 'A host that this server has not started' }),
  ),
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
  scope: Type.Enum(['process', 'machine', 'fleet', 'shared'], {
    description:
      'machine: its calls are the loads of those of the processes; fleet: of all members of the fleet; shared: of those that share by Redis',
  }),
  asked: count,
  led: Type.Integer({ description: 'Calls that started a load which others could join' }),
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
  fallback: Type.Optional(
    Type.Object({ ran: count, refused: count }, { description: 'Calls that no host took' }),
  ),
  wait: Times,
  run: Times,
  transport: Times,
  buckets: Type.Object({ wait: Buckets, run: Buckets, transport: Buckets }),
});

const FleetRow = Type.Object({
  process,
  id: Type.Enum(['tasks', 'keys'], {
    description: "tasks: hosts that run carriers' tasks; keys: hosts that answer questions",
  }),
  name: text,
  state: Type.String({ description: 'connected, connecting, cut-off or closed' }),
  refused: Type.Record(text, count, { description: 'Hosts that were passed over, by reason' }),
  lost: Type.Record(text, count, { description: 'Hosts that were lost, by sign' }),
  own: Type.Optional(Type.Integer({ description: 'Questions whose key belongs here' })),
  others: Type.Optional(Type.Integer({ description: 'Questions that another host was asked' })),
  served: Type.Optional(
    Type.Object(
      {
        state: text,
        sessions: count,
        running: count,
        completed: count,
        failed: count,
        aborted: count,
        busy: count,
      },
      { description: 'What others ask of this process' },
    ),
  ),
});

const HostRow = Type.Object({
  process,
  fleet: Type.Enum(['tasks', 'keys']),
  id: text,
  name: text,
  zone: Type.Optional(text),
  revision: Type.Optional(text),
  state: Type.Enum(['joined', 'known', 'leaving', 'silent', 'refused'], {
    description: 'known: it has announced itself, and no session is open',
  }),
  refused: Type.Optional(Type.String({ description: 'Why it is passed over' })),
  isSelf: Type.Optional(Type.Boolean({ description: 'The process itself' })),
  rttMs: Type.Optional(Type.Number({ description: 'Round trip of the last beat' })),
  credit: Type.Optional(Type.Integer({ description: 'Calls that it takes at a time' })),
  inFlight: Type.Optional(count),
  done: Type.Optional(count),
});

const Router = Type.Object({
  accepted: count,
  waiting: Type.Integer({ description: 'Connections that are read or wait' }),
  handedOver: count,
  refused: count,
  rerouted: count,
  gone: count,
  claim: Buckets,
  workers: Type.Array(
    Type.Object({
      slot: text,
      state: text,
      queued: count,
      open: count,
      handedOver: count,
      forwarded: Type.Integer({ description: 'Requests that went to the process of their key' }),
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

const hostEvents = [
  'host-joined',
  'host-leaving',
  'host-lost',
  'host-refused',
  'host-late',
  'host-closed',
  'host-unsent',
] as const;

const Event = Type.Object({
  at: Type.Integer({ description: 'Epoch ms' }),
  kind: Type.Enum([
    'worker-ready',
    'worker-exit',
    'circuit-open',
    'fallback',
    'refused',
    'rerouted',
    'worker-stuck',
    ...hostEvents,
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
      fleet: Type.Optional(text),
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
    fleets: Type.Array(FleetRow, { description: 'Fleets, as each process sees them' }),
    hosts: Type.Array(HostRow, { description: 'Hosts, as each process sees them' }),
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

/** Requests at a constant rate. */
export interface LoadOrder {
  /** 1 to 50. */
  readonly perSecond: number;
  /** 1 to 30. */
  readonly seconds: number;
  /** Path and query of a GET request. */
  readonly path: string;
}

/** What an operator can ask for. */
export type Command =
  | { readonly kind: 'plan'; readonly carrier: string; readonly patch: unknown }
  | { readonly kind: 'load'; readonly order: LoadOrder }
  /** `id`: of a process of the view. */
  | { readonly kind: 'kill'; readonly id: string }
  | { readonly kind: 'reload' };

/** What became of a command. Plain data: it crosses processes. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly refusal: { readonly status: 400 | 404 | 409 | 502; readonly detail: string } };
