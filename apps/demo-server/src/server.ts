import accepts from '@fastify/accepts';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import { sendClientError } from './client-error.ts';
import { ProblemError, sendProblem } from './problem.ts';
import { computeRoute } from './routes/compute.ts';
import { healthRoutes } from './routes/health.ts';
import { searchRoute } from './routes/search.ts';
import { sinkRoute } from './routes/sink.ts';
import { wormsRoute } from './routes/worms.ts';
import type { ServerState } from './server-state.ts';
import type { TlsSettings } from './tls-files.ts';

/** What Node takes of a request's head. */
const MAX_HEAD_BYTES = 16_384;

export interface ServerOptions {
  readonly logRequests: boolean;
  /** Serves HTTPS; with keys for tickets, processes take each other's sessions. */
  readonly tls: (TlsSettings & { readonly ticketKeys?: Buffer }) | undefined;
}

/** Builds the HTTP server over its parts. Does not listen. */
export async function buildServer(
  state: ServerState,
  { logRequests, tls }: ServerOptions,
): Promise<FastifyInstance> {
  const app = fastify({
    // `null` is plain HTTP, as Fastify types it.
    https: tls === undefined ? null : { ...tls },
    logger: { level: logRequests ? 'info' : 'error' },
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    // Longer ones are refused by the routes, which say why.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    clientErrorHandler: sendClientError,
    frameworkErrors: sendProblem,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: false } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // The schemas describe the answers; the answers are plain data and are written as they are.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      new ProblemError(404, { detail: `No route ${request.method} ${request.url.slice(0, 100)}` }),
      request,
      reply,
    ),
  );
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
  await app.register(accepts);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Ticketing demo', version: '1' } },
  });
  await app.register(searchRoute, state.parts);
  await app.register(wormsRoute, state.parts);
  await app.register(computeRoute);
  await app.register(sinkRoute);
  await app.register(healthRoutes, state);
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  return app as unknown as FastifyInstance;
}
