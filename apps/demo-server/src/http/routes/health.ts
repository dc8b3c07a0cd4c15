import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Flags } from '../../flags/flag-specs.ts';
import { hideSecrets } from '../../flags/flag-values.ts';
import type { ProcessStatus } from '../../serving/serving.ts';
import { ProblemError } from '../problem.ts';

const Status = Type.Object({ status: Type.String() });
const Anything = Type.Record(Type.String(), Type.Unknown());

export interface HealthOptions {
  readonly flags: Flags;
  readonly carriersUrl: string;
  draining(): boolean;
  /** Every process of the server, this one included. */
  processes(): Promise<readonly ProcessStatus[]>;
}

/** Routes for operators: alive, ready, configuration, counters. */
export const healthRoutes: FastifyPluginCallbackTypebox<HealthOptions> = (app, options, done) => {
  const { flags, carriersUrl, draining, processes } = options;
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
      if (draining()) throw new ProblemError(503, { detail: 'The server is stopping' });
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
      ...withoutSecrets(flags),
      carriersUrl,
      processes: (await processes()).flatMap(({ pid, role, taskPids }) => [
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
      processes: (await processes()).map(({ pid, role, stats }) => ({ pid, role, ...stats })),
    }),
  );
  done();
};

function withoutSecrets({ ouigo: _, databaseUrl, ...flags }: Flags): Record<string, unknown> {
  return { ...flags, databaseUrl: databaseUrl && hideSecrets(databaseUrl) };
}
