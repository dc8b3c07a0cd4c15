import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { History } from '../../figures/trend-schemas.ts';
import { OperatorView } from '../../figures/view-schema.ts';
import type { Flags } from '../../flags/flag-specs.ts';
import type { Command, Operator } from '../../operator/operator.ts';
import { createViewFeed } from '../../operator/view-feed.ts';
import { Problem, ProblemError } from '../../problem/problem.ts';
import { guardControls } from '../guard-controls.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if this route changes something on behalf of an operator. Default `false`. */
    controls?: boolean;
  }
}

export interface OperatorOptions {
  readonly flags: Flags;
  readonly operator: Omit<Operator, 'close' | 'reload'>;
  draining(): boolean;
}

const MOST_PER_SECOND = 50;
const MOST_SECONDS = 120;
const idLike = (example: string) =>
  Type.Object({ id: Type.String({ minLength: 1, maxLength: 100, examples: [example] }) });
/** Controls are sent as JSON, which a page elsewhere cannot do without being asked. */
const Nothing = Type.Object({}, { additionalProperties: false, examples: [{}] });
const Load = Type.Object(
  {
    perSecond: Type.Integer({ minimum: 1, maximum: MOST_PER_SECOND }),
    seconds: Type.Integer({ minimum: 1, maximum: MOST_SECONDS }),
    path: Type.String({
      maxLength: 1000,
      pattern: String.raw`^/(?:search\?|compute|api/|healthz)`,
      description: 'Of a GET request to this server: /search?…, /compute, /api/…, /healthz',
    }),
  },
  {
    additionalProperties: false,
    examples: [{ perSecond: 10, seconds: 1, path: '/healthz' }],
  },
);
const Plan = Type.Object(
  {
    latency: Type.Optional(Type.Unknown()),
    fault: Type.Optional(Type.Unknown({ description: 'null: none' })),
    journeys: Type.Optional(Type.Unknown()),
  },
  {
    additionalProperties: false,
    description: 'The fields of the plan to change',
    examples: [{ latency: { kind: 'fixed', ms: 50 }, fault: null }],
  },
);
const problem = { content: { 'application/problem+json': { schema: Problem } } };
const refusals = {
  403: { description: 'The request is not from a page of this server', ...problem },
  409: { description: 'It cannot be done now, or not with these flags', ...problem },
  415: { description: 'The content type is not application/json', ...problem },
};
const notFound = { 404: { description: 'There is none of that name', ...problem } };

/** Routes of the operator's page. None of them waits for admission: they are needed most when the server is busy. */
export const operatorRoutes: FastifyPluginCallbackTypebox<OperatorOptions> = (
  app,
  { flags, operator, draining },
  done,
) => {
  if (flags.operator === 'off') {
    done();
    return;
  }
  const feed = createViewFeed(operator, {
    isDraining: draining,
    onFault: (error) => app.log.error(error),
  });
  app.addHook('preClose', async () => feed.end());
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.controls === true) guardControls(request, flags);
  });

  /** Text of each view, written once: all who ask within a second get the same view. */
  const texts = new WeakMap<OperatorView, string>();
  async function viewText(): Promise<string> {
    const view = await operator.view();
    const text = texts.get(view) ?? JSON.stringify(view);
    texts.set(view, text);
    return text;
  }

  async function control(command: Command): Promise<unknown> {
    const outcome = await operator.control(command);
    if ('value' in outcome) return outcome.value;
    const { status, detail } = outcome.refusal;
    throw new ProblemError(status, { detail });
  }

  app.get(
    '/operator/state',
    {
      config: { admission: false },
      schema: {
        summary: 'The whole server in one view',
        operationId: 'readOperatorState',
        tags: ['operator'],
        response: { 200: OperatorView },
      },
    },
    async (_, reply) =>
      reply.type('application/json; charset=utf-8').send((await viewText()) as never),
  );
  app.get(
    '/operator/history',
    {
      config: { admission: false },
      schema: {
        summary: 'The lines of the charts of the last two minutes',
        operationId: 'readOperatorHistory',
        tags: ['operator'],
        response: { 200: History },
      },
    },
    async (_, reply) =>
      reply.type('application/json; charset=utf-8').send((await feed.historyText()) as never),
  );
  app.get(
    '/operator/events',
    {
      config: { admission: false },
      schema: {
        summary: 'The history, then each view, once a second, as server-sent events',
        operationId: 'followOperatorState',
        tags: ['operator'],
        response: {
          200: {
            description:
              'An event of type `history` with the data of /operator/history, then events of type `view` with that of /operator/state',
            content: { 'text/event-stream': { schema: { type: 'string' } } },
          },
        },
      },
    },
    async (_, reply) => {
      reply.type('text/event-stream').header('cache-control', 'no-store');
      return eventStream(feed.follow()) as never;
    },
  );
  app.put(
    '/operator/carriers/:id/plan',
    {
      config: { admission: false, controls: true },
      schema: {
        summary: "Changes a carrier's latency or fault in the embedded simulator",
        operationId: 'changeCarrierPlan',
        tags: ['operator'],
        params: idLike('renfe'),
        body: Plan,
        response: { 200: Type.Unknown(), ...refusals, ...notFound },
      },
    },
    ({ params, body }) => control({ kind: 'plan', carrier: params.id, patch: body }),
  );
  app.post(
    '/operator/load',
    {
      config: { admission: false, controls: true },
      schema: {
        summary: 'Sends requests to this server at a constant rate for a while',
        operationId: 'startLoad',
        tags: ['operator'],
        body: Load,
        response: { 200: Type.Unknown(), ...refusals },
      },
    },
    ({ body }) => control({ kind: 'load', order: body }),
  );
  app.post(
    '/operator/processes/:id/kill',
    {
      config: { admission: false, controls: true },
      schema: {
        summary: 'Ends a worker by SIGKILL; another takes its place',
        operationId: 'killProcess',
        tags: ['operator'],
        params: idLike('server-0/task-0'),
        body: Nothing,
        response: { 200: Type.Unknown(), ...refusals, ...notFound },
      },
    },
    ({ params }) => control({ kind: 'kill', id: params.id }),
  );
  app.post(
    '/operator/reload',
    {
      config: { admission: false, controls: true },
      schema: {
        summary: 'Replaces all workers one by one, as SIGHUP does',
        operationId: 'reloadWorkers',
        tags: ['operator'],
        body: Nothing,
        response: { 202: Type.Unknown(), ...refusals },
      },
    },
    async (_, reply) => reply.code(202).send(await control({ kind: 'reload' })),
  );
  done();
};

/** Streams events to a client. When it leaves, they end at once. A client that does not read gets the latest view when it does. */
function eventStream(events: AsyncIterableIterator<string>): Readable {
  return Readable.from(events, { highWaterMark: 1 });
}
