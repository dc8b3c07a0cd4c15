import {
  type Attributes,
  type Context,
  context,
  metrics,
  propagation,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ADVISED_LE_MS } from '@ticketing/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { methodOf, UNMATCHED } from '../metrics/duration-counts.ts';
import { streamJoined, streamStarted } from '../search/shared-streams.ts';

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
  const active = meter.createUpDownCounter('http.server.active_requests', {
    description: 'HTTP requests that are not answered yet',
    unit: '{request}',
  });
  const contexts = new WeakMap<FastifyRequest, Context>();

  app.addHook('onRequest', (request, reply, done) => {
    const parent = propagation.extract(context.active(), request.headers);
    const shared: Attributes = {
      'http.request.method': methodOf(request.method),
      'url.scheme': request.protocol,
    };
    const route = request.is404 ? UNMATCHED : (request.routeOptions.url ?? UNMATCHED);
    const named: Attributes = { ...shared, 'http.route': route };
    const span = tracer.startSpan(
      `${shared['http.request.method']} ${route}`,
      { kind: SpanKind.SERVER, attributes: named },
      parent,
    );
    active.add(1, shared);
    // Also after a client that has left, when nothing was sent.
    reply.raw.once('close', () => {
      active.add(-1, shared);
      durations.record(reply.elapsedTime / 1000, { ...named, ...endOf(span, reply) });
    });
    const own = trace.setSpan(parent, span);
    contexts.set(request, own);
    context.with(own, done);
  });
  // The events of a body come in the context of its connection.
  app.addHook('preValidation', (request, _reply, done) => {
    context.with(contexts.get(request) ?? context.active(), done);
  });
  app.addHook('onSend', async (request, reply) => {
    const span = trace.getSpan(contexts.get(request) ?? context.active());
    if (span === undefined) return;
    const { traceId, spanId, traceFlags } = span.spanContext();
    const parent = `traceparent;desc="00-${traceId}-${spanId}-0${traceFlags & 1}"`;
    const timing = reply.getHeader('server-timing');
    reply.header('server-timing', timing === undefined ? parent : `${timing}, ${parent}`);
  });
}

/** Links the span of a request whose stream joins a search to the one that started it. Returns what ends that. */
export function linkStreams(): () => void {
  const leaders = new WeakMap<object, SpanContext>();
  const onStarted = (search: unknown): void => {
    const span = trace.getActiveSpan();
    if (span !== undefined) leaders.set(search as object, span.spanContext());
  };
  const onJoined = (search: unknown): void => {
    const leader = leaders.get(search as object);
    if (leader === undefined) return;
    trace.getActiveSpan()?.addLink({ context: leader }).setAttribute('ticketing.outcome', 'joined');
  };
  streamStarted.subscribe(onStarted);
  streamJoined.subscribe(onJoined);
  return () => {
    streamStarted.unsubscribe(onStarted);
    streamJoined.unsubscribe(onJoined);
  };
}

/** Ends a request's span. Returns the attributes that its end has given. */
function endOf(span: Span, reply: FastifyReply): Attributes {
  const { statusCode, writableFinished } = reply.raw;
  const attributes: Attributes = { 'http.response.status_code': statusCode };
  if (!writableFinished) attributes['error.type'] = 'client_left';
  else if (statusCode >= 500) attributes['error.type'] = String(statusCode);
  span.setAttributes(attributes);
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  return attributes;
}
