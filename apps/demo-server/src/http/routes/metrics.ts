import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { writeFamilies } from '@ticketing/otel/prometheus';
import { Type } from 'typebox';
import { families } from '../../figures/metrics.ts';
import { sourcesOf } from '../../figures/sources.ts';
import { firstRanges } from '../preferred-type.ts';
import { shareLooks } from '../share-looks.ts';
import type { HealthOptions } from './health.ts';

const text = 'text/plain; version=0.0.4';
/** Media types by which scrapers ask for OpenMetrics, with the encodings of names that they understand. Our names need none. */
const openMetrics = ['', '; escaping=allow-utf-8', '; escaping=underscores'].map(
  (escaping) => `application/openmetrics-text; version=1.0.0${escaping}`,
);

// Typed `unknown`: the schema documents what is sent.
const response: unknown = {
  200: {
    description: 'A series for each process, route, carrier and pool',
    content: {
      'text/plain': { schema: Type.String() },
      'application/openmetrics-text': { schema: Type.String() },
    },
  },
};

/** `GET /metrics`: what `/stats` and the operator's page count, as Prometheus reads it. Nothing is counted for it alone. */
export const metricsRoute: FastifyPluginCallbackTypebox<HealthOptions> = (
  app,
  { flags, processes },
  done,
) => {
  const written = (format: 'text' | 'openmetrics') =>
    shareLooks(async () => {
      const source = sourcesOf(await processes(), { at: Date.now(), flags });
      return writeFamilies(families, { source, format });
    });
  const [open, plain] = [written('openmetrics'), written('text')];
  app.get(
    '/metrics',
    {
      config: { admission: false },
      schema: {
        summary: 'Every counter of every process, for Prometheus',
        operationId: 'readMetrics',
        tags: ['health'],
        response,
      },
    },
    async (request, reply) => {
      const { headers } = request.raw;
      headers.accept &&= firstRanges(headers.accept);
      const wanted = request.accepts().type([text, ...openMetrics]);
      const isOpen = typeof wanted === 'string' && openMetrics.includes(wanted);
      const { contentType, text: body } = await (isOpen ? open() : plain());
      return reply.headers({ vary: 'accept' }).type(contentType).send(body);
    },
  );
  done();
};
