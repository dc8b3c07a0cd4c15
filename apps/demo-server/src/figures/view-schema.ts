import { type Static, Type } from 'typebox';
import { rowSchema, table } from './figure.ts';
import * as figures from './figures.ts';
import { OperatorEvent } from './operator-event.ts';
import { count, text } from './schemas.ts';
import { Condition, Sample, ViewRates } from './trend-schemas.ts';

/** Fleets and the questions that they share are one row. */
export const fleetsAndKeys = table(figures.fleets.labels, {
  ...figures.fleets.figures,
  ...figures.keys.figures,
});

const UpstreamRow = Type.Object({
  id: text,
  arrived: count,
  answered: count,
  aborted: count,
  open: count,
  plan: Type.Unknown({ description: 'Latency and fault in force, as the simulator has them' }),
});

const serverParts = {
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
    keep: Type.Optional(
      Type.String({ description: 'Times for which answers are kept, fresh:stale' }),
    ),
    fleet: Type.Optional(text),
    routeBy: Type.Optional(text),
    tls: Type.Boolean(),
    controls: Type.Enum(['on', 'read', 'off']),
    deadlineMs: Type.Integer({ description: 'Time that a search may take' }),
    carriers: Type.Record(text, text, { description: 'Names of the carriers by their ids' }),
  }),
  processes: Type.Array(rowSchema(figures.processes)),
  searches: Type.Array(rowSchema(figures.searches)),
  routes: Type.Array(rowSchema(figures.routes)),
  coalesce: Type.Array(rowSchema(figures.coalescers)),
  kept: Type.Optional(
    Type.Array(rowSchema(figures.kept), {
      description: 'Answers of carriers that processes keep; absent: none does',
    }),
  ),
  pools: Type.Array(rowSchema(figures.pools)),
  fleets: Type.Array(rowSchema(fleetsAndKeys), {
    description: 'Fleets, as each process sees them',
  }),
  hosts: Type.Array(rowSchema(figures.hosts), {
    description: 'Hosts, as each process sees them',
  }),
  router: Type.Optional(rowSchema(figures.router)),
  cluster: Type.Optional(rowSchema(figures.cluster)),
  coordinators: Type.Array(rowSchema(figures.coordinators), {
    description: 'Connections to the Redis that servers share loads by',
  }),
  carriers: Type.Array(rowSchema(figures.carriers)),
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
};
/** The whole server at one time. Counters are raw. */
export const ServerView = Type.Object(serverParts);
export type ServerView = Static<typeof ServerView>;

/** The whole server, and what has changed. */
export const OperatorView = Type.Object(
  {
    ...serverParts,
    rates: ViewRates,
    sample: Sample,
    health: Type.Array(Condition, {
      description: 'The worst first. All is well if each is a note',
    }),
    events: Type.Array(OperatorEvent, { description: 'The last 50, the newest last' }),
  },
  { $id: 'OperatorView' },
);
export type OperatorView = Static<typeof OperatorView>;
export type UpstreamView = Static<typeof UpstreamRow>;
