import { type Static, Type } from 'typebox';

/** Something that happened to the server: a cause that an operator set, or an effect. */
export const OperatorEvent = Type.Object({
  no: Type.Integer({
    description: 'Number of the event since the start; its text may change while it goes on',
  }),
  mark: Type.Optional(
    Type.Integer({
      description: 'Number on the time axes and in the list, 1 to 99 in turn; absent: not marked',
    }),
  ),
  at: Type.Integer({ description: 'Epoch ms' }),
  kind: Type.Enum([
    // Actions of an operator.
    'fault-set',
    'fault-ended',
    'latency-set',
    'load-started',
    'load-ended',
    'reload-started',
    'reload-ended',
    'killed',
    // What successive views show.
    'server-started',
    'hangs',
    'dead',
    'fails',
    'slow',
    'full',
    'recovered',
    'guard-opened',
    'guard-closed',
    // What the libraries publish.
    'worker-ready',
    'worker-exit',
    'worker-stuck',
    'circuit-open',
    'fallback',
    'refused',
    'dropped',
    'rerouted',
    'redis-down',
    'redis-up',
    'host-joined',
    'host-leaving',
    'host-lost',
    'host-refused',
    'host-late',
    'host-closed',
    'host-unsent',
  ]),
  severity: Type.Enum(['bad', 'note']),
  process: Type.String({ description: 'Id of the process that it is about, or else reports it' }),
  carrier: Type.Optional(Type.String({ description: 'Id of the carrier that it is about' })),
  text: Type.String({ examples: ['Renfe set to hang'] }),
  detail: Type.Optional(Type.String({ examples: ['share 100 %'] })),
});
export type OperatorEvent = Static<typeof OperatorEvent>;
export type EventKind = OperatorEvent['kind'];

/** An event before it has its number. */
export type NewEvent = Omit<OperatorEvent, 'no' | 'mark'>;
