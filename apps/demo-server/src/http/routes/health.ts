import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { hideSecrets } from '@ticketing/cli-kit';
import { type Static, Type } from 'typebox';
import { processSources } from '../../figures/process-sources.ts';
import type { ProcessStatus } from '../../figures/process-status.ts';
import { roundedAll } from '../../figures/rounded.ts';
import { StatsDocument } from '../../figures/stats-document.ts';
import type { Flags } from '../../flags/flag-specs.ts';
import { shownFlags } from '../../flags/read-flags.ts';
import { ProblemError } from '../../problem/problem.ts';
import { versions } from '../../processes/versions.ts';
import { ConfigDocument } from '../api/config-document.ts';
import { shareLooks } from '../share-looks.ts';

const Status = Type.Object({ status: Type.String() });

export interface HealthOptions {
  readonly flags: Flags;
  readonly carriersUrl: string;
  /** Start of the server in epoch ms. */
  readonly startedAt: number;
  draining(): boolean;
  /** Every process of the server, this one included. */
  processes(): Promise<readonly ProcessStatus[]>;
}

/** Routes for operators: alive, ready, configuration, counters. */
export const healthRoutes: FastifyPluginCallbackTypebox<HealthOptions> = (app, options, done) => {
  const { flags, carriersUrl, startedAt, draining, processes } = options;
  const shown = shownFlags(flags);
  const look = shareLooks(processes);
  const count = shareLooks(async () =>
    JSON.stringify({ processes: (await processes()).map(counters) }),
  );
  app.get(
    '/healthz',
    {
      config: { admission: false },
      schema: {
        summary: 'Whether the process is alive',
        operationId: 'isAlive',
        tags: ['health'],
        response: { 200: Status },
      },
    },
    () => ({ status: 'alive' }),
  );
  app.get(
    '/readyz',
    {
      config: { admission: false },
      schema: {
        summary: 'Whether it takes requests; 503 while it stops',
        operationId: 'isReady',
        tags: ['health'],
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
      config: { admission: false },
      schema: {
        summary: 'The resolved flags and the processes',
        operationId: 'readConfig',
        tags: ['health'],
        response: { 200: ConfigDocument },
      },
    },
    async () => ({
      ...shown,
      carriers: [...flags.carriers],
      carriersUrl: hideSecrets(carriersUrl),
      startedAt,
      versions,
      processes: runningOf(await look()),
    }),
  );
  app.get(
    '/stats',
    {
      config: { admission: false },
      schema: {
        summary: "Every package's counters, by process",
        operationId: 'readStats',
        tags: ['health'],
        response: { 200: StatsDocument },
      },
    },
    // The types of the libraries mean the same in their own words; a test checks the answer against the schema.
    async (_, reply) =>
      reply.type('application/json; charset=utf-8').send((await count()) as never),
  );
  done();
};

function runningOf(statuses: readonly ProcessStatus[]): Static<typeof ConfigDocument>['processes'] {
  return processSources(statuses, { at: 0 }).flatMap(({ kind: role, id, pid, state, owner }) =>
    role === 'thread' ? [] : [{ id, role, pid, state, ...(owner !== undefined && { owner }) }],
  );
}

function counters({ stats, events: _, traffic: __, ...process }: ProcessStatus): object {
  return roundedAll({ ...process, ...stats });
}
