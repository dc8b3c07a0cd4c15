import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Metric } from '@prometheus-io/client';
import { Type } from 'typebox';
import type { Distribution, Family, Point } from '../../metrics/family.ts';
import { families } from '../../metrics/points.ts';
import { operatorView } from '../../operator/operator-view.ts';
import type { OperatorView } from '../../operator/view-schema.ts';
import { firstRanges } from '../preferred-type.ts';
import { ProblemError } from '../problem.ts';
import { shareLooks } from '../share-looks.ts';
import type { HealthOptions } from './health.ts';

const MS_PER_S = 1000;
/** The first that the client supports. */
const LEAST_NODE = 22;

const text = 'text/plain; version=0.0.4';
/** As scrapers ask for it: with the encodings of names that they understand. Ours need none. */
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
  { flags, startedAt, processes },
  done,
) => {
  const written = (isOpen: boolean) =>
    shareLooks(async () => {
      const view = operatorView(await processes(), { at: Date.now(), startedAt, flags });
      return writeMetrics(view, { isOpen });
    });
  const [open, plain] = [written(true), written(false)];
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
      if (Number.parseInt(process.versions.node, 10) < LEAST_NODE) {
        const detail = `Metrics need Node ${LEAST_NODE} or later, got ${process.versions.node}; /stats has the same counters`;
        throw new ProblemError(501, { detail });
      }
      const { headers } = request.raw;
      headers.accept &&= firstRanges(headers.accept);
      const wanted = request.accepts().type([text, ...openMetrics]);
      const isOpen = typeof wanted === 'string' && openMetrics.includes(wanted);
      const { type, body } = await (isOpen ? open() : plain());
      return reply.headers({ vary: 'accept' }).type(type).send(body);
    },
  );
  done();
};

/** Writes a view in the text format of Prometheus, or in that of OpenMetrics. Loads the client at the first call. */
async function writeMetrics(
  view: OperatorView,
  { isOpen }: { readonly isOpen: boolean },
): Promise<{ readonly type: string; readonly body: string }> {
  const { Registry } = await import('@prometheus-io/client');
  const type = isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE;
  // A registry for each answer: for OpenMetrics it renames the counters.
  const registry = new Registry(type);
  for (const family of families) {
    const { name, help } = family;
    const values = valuesOf(family, view);
    if (values.length === 0) continue;
    const metric = { name, help, type: family.type, get: async () => ({ ...metric, values }) };
    // The registry reads these fields alone; its type asks for one of its own classes.
    registry.registerMetric(metric as unknown as Metric<string>);
  }
  return { type, body: await registry.metrics() };
}

function valuesOf(
  family: Family,
  view: OperatorView,
): readonly (Point & { readonly metricName?: string })[] {
  if (family.type !== 'histogram') return family.points(view);
  return family.distributions(view).flatMap((each) => histogram(family.name, each));
}

/** Cumulative counts by upper bound, as Prometheus keeps them. */
function histogram(
  name: string,
  { labels, buckets: { leMs, counts, sumMs } }: Distribution,
): (Point & { readonly metricName: string })[] {
  let total = 0;
  const buckets = counts.map((count, at) => {
    total += count;
    const bound = leMs[at];
    const le = bound === undefined ? '+Inf' : String(bound / MS_PER_S);
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / MS_PER_S },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
