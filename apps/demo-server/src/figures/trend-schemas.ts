// What becomes of successive views: rates, lines of charts, and the health of each part.
import { type Static, Type } from 'typebox';
import { number, text } from './schemas.ts';

const Named = Type.Record(text, number);

/** Rates of counters and quantiles of times, by name; an unknown one is absent. */
export const ViewRates = Type.Object(
  {
    perSecond: Type.Record(text, number, { description: 'In the last three seconds' }),
    recent: Type.Record(text, number, { description: 'Growth in the last ten seconds' }),
    p50: Type.Record(text, number, { description: 'Milliseconds, of the last ten seconds' }),
    p99: Type.Record(text, number, { description: 'Milliseconds, of the last ten seconds' }),
  },
  { description: 'Rates between successive views' },
);
export type ViewRates = Static<typeof ViewRates>;

/** Values of the charts' lines at one time, by the names of the lines. */
export const Sample = Type.Object({
  at: Type.Integer({ description: 'Epoch ms' }),
  lines: Named,
});
export type Sample = Static<typeof Sample>;

/** Samples of the last two minutes as columns; `null` where a line had no value. */
export const History = Type.Object(
  {
    at: Type.Array(Type.Integer(), { description: 'Epoch ms, oldest first' }),
    lines: Type.Record(text, Type.Array(Type.Union([number, Type.Null()]))),
  },
  { $id: 'History' },
);
export type History = Static<typeof History>;

/** Something about a part of the server that is not as it should be, or not yet. */
export const Condition = Type.Object({
  subject: Type.Enum([
    'carrier',
    'process',
    'pool',
    'host',
    'fleet',
    'router',
    'coalescer',
    'redis',
  ]),
  id: Type.String({ description: 'Of the part, as its row has it' }),
  state: Type.Enum(['hangs', 'dead', 'fails', 'slow', 'full', 'starting', 'stopping']),
  severity: Type.Enum(['bad', 'warn', 'note'], {
    description: 'note: as it should be for a while, such as a start',
  }),
  since: Type.Integer({ description: 'Epoch ms' }),
  name: Type.String({ examples: ['Renfe'] }),
  says: Type.String({ examples: ['hangs'] }),
  detail: Type.Optional(Type.String({ examples: ['37 calls open'] })),
});
export type Condition = Static<typeof Condition>;
