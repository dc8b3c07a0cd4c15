import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ProblemError } from '../problem.ts';
import type { ServerState } from '../server-state.ts';

const Status = Type.Object({ status: Type.String() });
const Anything = Type.Record(Type.String(), Type.Unknown());

/** What operators ask: alive, ready, how configured, how busy. */
export const healthRoutes: FastifyPluginCallbackTypebox<ServerState> = (app, state, done) => {
  app.get(
    '/healthz',
    {
      config: { always: true },
      schema: { summary: 'Whether the process is alive', response: { 200: Status } },
    },
    () => ({ status: 'alive' }),
  );
  app.get(
    '/readyz',
    {
      config: { always: true },
      schema: {
        summary: 'Whether it takes requests; 503 while it stops',
        response: { 200: Status },
      },
    },
    () => {
      if (state.draining()) throw new ProblemError(503, { detail: 'The server is stopping' });
      return { status: 'ready' };
    },
  );
  app.get(
    '/config',
    {
      config: { always: true },
      schema: { summary: 'The resolved flags and the processes', response: { 200: Anything } },
    },
    async () => ({
      ...state.config(),
      processes: (await state.processes()).flatMap(({ pid, role, taskPids }) => [
        { pid, role },
        ...taskPids.map((task) => ({ pid: task, role: 'task' })),
      ]),
    }),
  );
  app.get(
    '/stats',
    {
      config: { always: true },
      schema: {
        summary: "Every package's counters, by process",
        response: { 200: Anything },
      },
    },
    async () => ({
      processes: (await state.processes()).map(({ pid, role, stats }) => ({ pid, role, ...stats })),
    }),
  );
  done();
};
