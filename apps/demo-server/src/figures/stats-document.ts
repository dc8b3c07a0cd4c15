import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { perCoalescer } from '../answers/kinds.ts';
import { type Given, schemasIn, statsSchema } from './figure.ts';
import * as figures from './figures.ts';
import { count, counts, number, Times, text } from './schemas.ts';

/** Returns the schema of an object for each table of schemas. */
function objects<T extends Readonly<Record<string, TProperties>>>(tables: T) {
  const made = Object.entries(tables).map(([name, table]) => [name, Type.Object(table)]);
  return Object.fromEntries(made) as { readonly [Name in keyof T]: TObject<T[Name]> };
}

const Coalescer = statsSchema(figures.coalescers, {
  $id: 'Coalescer',
  description: 'Counters of a coalescer',
});
const Dispatcher = statsSchema(figures.pools, {
  $id: 'Dispatcher',
  description: 'Counters of a pool of workers',
});
const Fleet = statsSchema(figures.fleets, {
  $id: 'Fleet',
  description: 'Hosts of a fleet, as this process sees them',
});
const ProcessFigures = statsSchema(figures.load);
const Search = statsSchema(figures.searches);
const CarrierCalls = Type.Record(text, statsSchema(figures.calls));
const CarrierGuards = Type.Record(text, statsSchema(figures.guards), {
  description: 'By carrier that was asked; none with --guard off',
});
/** Counters of the coalescers of searches and of the store, where there are any. */
const { coalesce, ...named } = perCoalescer(() => Type.Optional(Coalescer));
const coalescing = { coalesce, ...objects(named) };

/** Schema of the report of a worker that runs carriers' tasks; another process may send it. */
export const TaskReport = Type.Object({
  http: CarrierCalls,
  // Absent in a report of another version.
  guards: Type.Optional(CarrierGuards),
  process: ProcessFigures,
  search: Type.Optional(Search),
  kept: Type.Optional(Coalescer),
});

/** Schema of the report of a host, which may be of another version, or of anybody who has a password of the fleet. */
export const ReportOfHost = Type.Object({
  ...TaskReport.properties,
  ...coalescing,
  // A part of ids, and of labels of metrics.
  name: Type.String({ pattern: '^[\\w.:-]{1,64}$' }),
  pid: count,
  ageMs: number,
  search: Search,
});

const Keys = Type.Object(
  {
    ...schemasIn('stats', figures.keys),
    ...coalescing,
    hosts: Fleet,
    member: statsSchema(figures.members),
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
      ...counts('finished', 'refused', 'released', 'renewed', 'lost', 'forgotten', 'forgottenTags'),
      ...counts('errors', 'timeouts', 'downs', 'held', 'waiting'),
      lastError: Type.Optional(text),
    }),
    loads: Type.Record(
      text,
      Type.Object({
        name: text,
        ...counts('asked', 'led', 'local', 'kept', 'followed', 'renewals', 'repeated'),
        ...counts('unshared', 'undecoded', 'outdated', 'forgottenTags', 'inFlight'),
      }),
      { description: 'By question' },
    ),
  },
  { $id: 'Shared', description: 'Loads that servers share by Redis' },
);

const serverParts = {
  admission: Type.Object({
    ...counts('inFlight', 'waiting', 'admitted', 'joined', 'left'),
    limit: Type.Union([count, Type.Null()], { description: 'null: no limit' }),
    refused: Type.Object(counts('busy', 'late')),
  }),
  routes: Type.Array(statsSchema(figures.routes), { description: 'How long answers took' }),
  ...coalescing,
  streams: Type.Object(counts('asked', 'joined', 'inFlight')),
  encoding: Type.Object(counts('asked', 'compressed', 'bytesIn', 'bytesOut'), {
    description: 'Compressed bodies that were sent, and how often one was compressed',
  }),
  search: Search,
  kept: Type.Optional(Coalescer),
  dispatch: Dispatcher,
  hosts: Type.Optional(Fleet),
  keys: Type.Optional(Keys),
  shared: Type.Optional(Shared),
  http: CarrierCalls,
  guards: CarrierGuards,
  worms: Type.Object({
    kind: text,
    ...counts('queries', 'running', 'errors'),
    ms: Times,
    driver: Type.Unknown({ description: "The driver's own counters" }),
    ...named.worms,
  }),
  process: ProcessFigures,
  attached: Type.Optional(Type.Object(counts('connections', 'claimed', 'requests', 'forwarded'))),
};

const primaryParts = {
  ...coalescing,
  keys: Type.Optional(Keys),
  cluster: Type.Object({
    name: text,
    state: text,
    ...counts('requests', 'inFlight', 'connections', 'waitingConnections'),
    ...counts('droppedConnections', 'wedgedWorkers', 'memoryBytes'),
    dispatcher: Dispatcher,
  }),
  router: Type.Optional(statsSchema(figures.router)),
  search: Type.Optional(Search),
  kept: Type.Optional(Coalescer),
  http: Type.Optional(CarrierCalls),
  guards: Type.Optional(CarrierGuards),
  process: ProcessFigures,
};

const known = schemasIn('stats', figures.identity);
const silent = { ...known, role: Type.Literal('server') };

/** The answer of `GET /stats`. */
export const StatsDocument = Type.Object(
  {
    processes: Type.Array(
      Type.Union([
        Type.Object(
          { ...silent, ...serverParts },
          { $id: 'ServerCounters', description: 'A server process' },
        ),
        Type.Object(
          { ...known, role: Type.Literal('primary'), ...primaryParts },
          { $id: 'PrimaryCounters', description: 'The primary' },
        ),
        Type.Object(silent, {
          $id: 'SilentProcess',
          description: 'A process that has not reported: it starts, stops or hangs',
        }),
      ]),
    ),
  },
  { $id: 'Stats' },
);

/** Counters of every part of a server process. */
export type ServerStats = Given<Static<TObject<typeof serverParts>>>;
/** Counters of the primary. */
export type PrimaryStats = Given<Static<TObject<typeof primaryParts>>>;
/** Counters of a member of the fleet that shares questions. */
export type KeysStats = Given<Static<typeof Keys>>;
/** Figures of a worker that runs carriers' tasks and serves no HTTP: `moduleReport` in the row of its pool. */
export type TaskWorkerReport = Given<Static<typeof TaskReport>>;
/** Figures of a host of the fleet, for those whose tasks it runs: `moduleReport` in the rows of their pools. */
export type HostReport = Given<Static<typeof ReportOfHost>>;
