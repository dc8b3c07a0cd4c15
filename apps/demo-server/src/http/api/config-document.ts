import { Type } from 'typebox';
import { count, ProcessState, text } from '../../figures/schemas.ts';

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
