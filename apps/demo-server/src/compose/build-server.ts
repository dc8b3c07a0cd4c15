import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import accepts from '@fastify/accepts';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Admission } from '@ticketing/admission';
import { FlagError } from '@ticketing/cli-kit';
import { limitPipelined } from '@ticketing/socket-router/worker';
import { type FastifyInstance, fastify, LogController, type RouteOptions } from 'fastify';
import type { Flags } from '../flags/flag-specs.ts';
import { admit } from '../http/admit.ts';
import { describeApi } from '../http/api/describe-api.ts';
import type { DurationCounts } from '../http/duration-counts.ts';
import { guardNames } from '../http/guard-controls.ts';
import { createHttpRules } from '../http/http-rules.ts';
import { type CalendarDependencies, calendarRoute } from '../http/routes/calendar.ts';
import { computeRoute } from '../http/routes/compute.ts';
import { docsRoutes } from '../http/routes/docs.ts';
import { type HealthOptions, healthRoutes } from '../http/routes/health.ts';
import { metricsRoute } from '../http/routes/metrics.ts';
import { type OperatorOptions, operatorRoutes } from '../http/routes/operator.ts';
import { type PagesDependencies, pageRoutes } from '../http/routes/pages.ts';
import { type SearchDependencies, searchRoute } from '../http/routes/search.ts';
import { sinkRoute } from '../http/routes/sink.ts';
import { type StationsDependencies, stationRoutes } from '../http/routes/stations.ts';
import { type WormsDependencies, wormsRoute } from '../http/routes/worms.ts';
import { sendProblem } from '../problem/problem.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Node's own limit for a request's head. */
const MAX_HEAD_BYTES = 16_384;
/** Validation of requests by the schemas of their routes: nothing is converted, and the first error is reported. */
export const validation = {
  removeAdditional: false,
  coerceTypes: false,
  allErrors: false,
  // TypeBox makes valid schemas. Checking each against the meta-schema takes half of the time of a start.
  meta: false,
  validateSchema: false,
} as const;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

/** Dependencies of all routes together. */
type RouteDependencies = SearchDependencies &
  CalendarDependencies &
  WormsDependencies &
  StationsDependencies &
  Omit<PagesDependencies, 'flags' | 'notFound'>;

export interface ServerOptions extends HealthOptions, OperatorOptions {
  readonly parts: RouteDependencies & {
    /** Decides which requests begin. */
    readonly admission: Admission;
    /** Makes spans of requests. */
    readonly telemetry: Pick<Telemetry, 'watch'>;
    /** Counts the answers. */
    readonly durations: Pick<DurationCounts, 'watch' | 'count'>;
  };
  /** Serves HTTPS. Processes with the same `ticketKeys` resume each other's sessions. */
  readonly tls: (TlsFiles & { readonly ticketKeys?: Buffer }) | undefined;
}

/** Contents of the PEM files. */
interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads the certificate and its key, if the flags name them. Each server process reads them, so that a reload takes new ones.
 *
 * @throws FlagError if they cannot be read, or do not belong together
 */
export function readTls({ tlsCert, tlsKey }: Flags): TlsFiles | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    const tls = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
    createSecureContext(tls);
    return tls;
  } catch (error) {
    const { message } = error as Error;
    throw new FlagError(
      `Cannot start: --tls-cert and --tls-key must be a certificate and its key, got ${message}`,
    );
  }
}

/** Builds the HTTP server over its parts. Does not listen. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { flags, parts, draining, tls } = options;
  const { logRequests, requestTimeoutMs } = flags;
  const rules = createHttpRules({ requestTimeoutMs });
  const httpOptions = {
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, requestTimeoutMs / 4),
    // Node's own refusal has no body.
    requireHostHeader: false,
  };
  // The types of Fastify have either `https` or `http`, so the latter goes beside them.
  const httpOnly = { http: httpOptions };
  const app = fastify({
    // `null` is plain HTTP, as Fastify types it.
    https: tls === undefined ? null : { ...tls, ...httpOptions },
    ...httpOnly,
    requestTimeout: requestTimeoutMs,
    logger: { level: logRequests ? 'info' : 'error' },
    logController: countingController(parts.durations),
    return503OnClosing: false,
    // The routes refuse longer ones, with a reason.
    routerOptions: { maxParamLength: MAX_HEAD_BYTES },
    clientErrorHandler: rules.clientErrorHandler,
    frameworkErrors: sendProblem,
    ajv: { customOptions: validation },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // The schemas describe the answers; the answers are plain data and are written as they are.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  app.addHook('onSend', async (_request, reply) => {
    const timing = reply.getHeader('server-timing');
    const total = `total;dur=${reply.elapsedTime.toFixed(1)}`;
    reply.header('server-timing', timing === undefined ? total : `${timing}, ${total}`);
    reply.header('x-worker', process.pid);
    // A text that a client sent may be repeated in any answer.
    reply.header('x-content-type-options', 'nosniff');
    // Prices, counters and problems are true for this moment alone; a route whose answer may be kept sets its own header.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    if (draining()) reply.header('connection', 'close');
  });
  if (logRequests) {
    app.addHook('onResponse', async ({ method, url }, reply) => {
      reply.log.info(
        { method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
        'request',
      );
    });
  }
  parts.telemetry.watch(app as unknown as FastifyInstance);
  parts.durations.watch(app as unknown as FastifyInstance);
  // Otherwise each request that one client sends ahead is work, and an answer in memory, whether or not it reads them.
  limitPipelined(app.server);
  // First, so that a refusal costs little.
  await admit(app as unknown as FastifyInstance, { admission: parts.admission, draining });
  rules.apply(app as unknown as FastifyInstance);
  app.addHook('onRequest', async (request) => guardNames(request, flags));
  app.addHook('onRoute', readIntegers);
  await app.register(accepts);
  await describeApi(app as unknown as FastifyInstance);
  await app.register(pageRoutes, { ...parts, flags, notFound: rules.notFound });
  await app.register(searchRoute, parts);
  await app.register(calendarRoute, parts);
  await app.register(wormsRoute, parts);
  await app.register(computeRoute);
  await app.register(sinkRoute);
  await app.register(healthRoutes, options);
  await app.register(metricsRoute, options);
  await app.register(operatorRoutes, options);
  await app.register(stationRoutes, parts);
  await app.register(docsRoutes, parts);
  return app as unknown as FastifyInstance;
}

/**
 * Returns a log controller that counts answers and logs nothing. It adds no hook to any route.
 */
function countingController(durations: Pick<DurationCounts, 'count'>): LogController {
  const controller = new LogController({ disableRequestLogging: true });
  controller.requestCompleted = (_error, request, reply) => durations.count(request, reply);
  return controller;
}

/** Converts parameters that are integers by their schema and written as in JSON. Others stay text, which the schema refuses. */
export function readIntegers(route: RouteOptions): void {
  const { properties = {} } = Object(route.schema?.querystring);
  const names = Object.keys(properties).filter((name) => properties[name].type === 'integer');
  if (names.length === 0) return;
  route.preValidation = async ({ query }) => {
    const values = query as Record<string, unknown>;
    for (const name of names) {
      const text = values[name];
      if (typeof text === 'string' && INTEGER.test(text)) values[name] = Number(text);
    }
  };
}
