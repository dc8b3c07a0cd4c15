import { type Static, Type } from 'typebox';

/** Something that happened in a process, such as a worker that ended. */
export const OperatorEvent = Type.Object({
  at: Type.Integer({ description: 'Epoch ms' }),
  kind: Type.Enum([
    'worker-ready',
    'worker-exit',
    'circuit-open',
    'fallback',
    'refused',
    'rerouted',
    'worker-stuck',
    'host-joined',
    'host-leaving',
    'host-lost',
    'host-refused',
    'host-late',
    'host-closed',
    'host-unsent',
  ]),
  process: Type.String({ description: 'Id of the process that counts' }),
  text: Type.String(),
});
export type OperatorEvent = Static<typeof OperatorEvent>;
