import accepts from '@fastify/accepts';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyInstance, fastify, LogController, type RouteOptions } from 'fastify';
import { admitRequests } from '../overload/admit-requests.ts';
import type { TlsSettings } from '../serving/tls-files.ts';
import { createHttpRules, notFound } from './http-rules.ts';
import { sendProblem } from './problem.ts';
import { computeRoute } from './routes/compute.ts';
import { healthRoutes } from './routes/health.ts';
import { searchRoute } from './routes/search.ts';
import { sinkRoute } from './routes/sink.ts';
import { wormsRoute } from './routes/worms.ts';
import type { ServerState } from './server-state.ts';

/** What Node takes of a request's head. */
const MAX_HEAD_BYTES = 16_384;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

export interface ServerOptions {
  readonly logRequests: boolean;
  /** A request, with its body, must arrive within this time: milliseconds. */
  readonly requestTimeoutMs: number;
  /** Serves HTTPS; with keys for tickets, processes take each other's sessions. */
  readonly tls: (TlsSettings & { readonly ticketKeys?: Buffer }) | undefined;
}

/** Builds the HTTP server over its parts. Does not listen. */
export async function buildServer(
  state: ServerState,
  { logRequests, requestTimeoutMs, tls }: ServerOptions,
): Promise<FastifyInstance> {
  const rules = createHttpRules({ requestTimeoutMs });
  const options = {
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, requestTimeoutMs / 4),
    // Node's own refusal has no body.
    requireHostHeader: false,
  };
  const app = fastify({
    // `null` is plain HTTP, as Fastify types it.
    https: tls === undefined ? null : { ...tls, ...options },
    ...{ http: options },
    requestTimeout: requestTimeoutMs,
    logger: { level: logRequests ? 'info' : 'error' },
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    // Longer ones are refused by the routes, which say why.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    clientErrorHandler: rules.clientErrorHandler,
    frameworkErrors: sendProblem,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: false } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // The schemas describe the answers; the answers are plain data and are written as they are.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => sendProblem(notFound(request), request, reply));
  app.addHook('onSend', async (_request, reply) => {
    const timing = reply.getHeader('server-timing');
    const total = `total;dur=${reply.elapsedTime.toFixed(1)}`;
    reply.header('server-timing', timing === undefined ? total : `${timing}, ${total}`);
    reply.header('x-worker', process.pid);
    if (state.draining()) reply.header('connection', 'close');
  });
  if (logRequests) {
    app.addHook('onResponse', async ({ method, url }, reply) => {
      reply.log.info(
        { method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    });
  }
  // First, as a refusal is to cost little.
  admitRequests(app as unknown as FastifyInstance, state);
  rules.apply(app as unknown as FastifyInstance);
  app.addHook('onRoute', readIntegers);
  await app.register(accepts);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Ticketing demo', version: '1' } },
  });
  await app.register(searchRoute, state.parts);
  await app.register(wormsRoute, state.parts);
  await app.register(computeRoute);
  await app.register(sinkRoute);
  await app.register(healthRoutes, state);
  app.get('/openapi.json', { schema: { hide: true }, config: { always: true } }, () =>
    app.swagger(),
  );
  return app as unknown as FastifyInstance;
}

/** Parameters are text. Those that are integers by their schema become one if they are written as JSON writes it. */
function readIntegers(route: RouteOptions): void {
  const { properties = {} } = Object(route.schema?.querystring);
  const names = Object.keys(properties).filter((name) => properties[name].type === 'integer');
  if (names.length === 0) return;
  route.preValidation = async ({ query }) => {
    const given = query as Record<string, unknown>;
    for (const name of names) {
      const text = given[name];
      if (typeof text === 'string' && INTEGER.test(text)) given[name] = Number(text);
    }
  };
}
