import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type Meter,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { ADVISED_LE_MS } from '@ticketing/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { methodOf, UNMATCHED } from '../http/duration-counts.ts';

/**
 * Makes a span of each request: a child of the client's, if it sends `traceparent`. What answers the request runs in its
 * context, and a browser learns of it by `server-timing`. Also measures what OpenTelemetry's conventions ask for.
 */
export function watchRequests(app: FastifyInstance): void {
  const tracer = trace.getTracer('demo-server');
  const meter = metrics.getMeter('demo-server');
  const durations = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests',
    unit: 's',
    advice: { explicitBucketBoundaries: ADVISED_LE_MS.map((ms) => ms / 1000) },
  });
  const active = countActive(meter);
  const contexts = new WeakMap<FastifyRequest, Context>();

  app.addHook('onRequest', (request, reply, done) => {
    const parent = propagation.extract(context.active(), request.headers);
    const method = methodOf(request.method);
    const route = request.is404 ? UNMATCHED : (request.routeOptions.url ?? UNMATCHED);
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': request.protocol,
    };
    const settings = { kind: SpanKind.SERVER, attributes };
    const span = tracer.startSpan(`${method} ${route}`, settings, parent);
    active.add(method, 1);
    // Also after a client that has left, when nothing was sent.
    reply.raw.once('close', () => {
      active.add(method, -1);
      const { statusCode, writableFinished } = reply.raw;
      const measured: Attributes = { ...attributes, 'http.response.status_code': statusCode };
      if (!writableFinished) measured['error.type'] = 'client_left';
      else if (statusCode >= 500) measured['error.type'] = String(statusCode);
      durations.record(reply.elapsedTime / 1000, measured);
      if (!span.isRecording()) return;
      span.setAttributes(measured);
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    const own = trace.setSpan(parent, span);
    contexts.set(request, own);
    context.with(own, done);
  });
  // Requests that are admitted together begin in the context of one of them, and the events of a body come in that of the connection.
  app.addHook('preValidation', (request, _reply, done) => {
    context.with(contexts.get(request) ?? context.active(), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { traceId, spanId, traceFlags } =
      trace.getSpanContext(contexts.get(request) ?? context.active()) ?? INVALID_SPAN_CONTEXT;
    if ((traceFlags & TraceFlags.SAMPLED) !== 0) {
      const parent = `traceparent;desc="00-${traceId}-${spanId}-01"`;
      const timing = reply.getHeader('server-timing');
      reply.header('server-timing', timing === undefined ? parent : `${timing}, ${parent}`);
    }
    done(null, payload);
  });
}

/** Counts requests in flight by itself, and gives the figures at each export: an instrument costs a microsecond per request. */
function countActive(meter: Meter): { add(method: string, count: number): void } {
  const active = new Map<string, number>();
  meter
    .createObservableUpDownCounter('http.server.active_requests', {
      description: 'HTTP requests that are not answered yet',
      unit: '{request}',
    })
    .addCallback((result) => {
      for (const [method, count] of active) {
        result.observe(count, { 'http.request.method': method });
      }
    });
  return {
    add: (method, count) => void active.set(method, (active.get(method) ?? 0) + count),
  };
}
