import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type Meter,
  metrics,
  propagation,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { ADVISED_LE_MS } from '@ticketing/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { STREAMS } from '../answers/shared.ts';
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

/** One stream of {@link STREAMS}, as `@ticketing/batching` publishes it. */
interface StreamMessage {
  readonly name: string;
  readonly streamId: string;
}

/** Links the span of a request whose stream joins a search to the one that started it. Returns what ends that. */
export function linkStreams(): () => void {
  /** Spans by the stream that each has started, while it is in flight. */
  const leaders = new Map<string, SpanContext>();
  const watch = (channel: string, listen: (streamId: string) => void): (() => void) => {
    const listener = (message: unknown): void => {
      const { name, streamId } = message as StreamMessage;
      if (name === STREAMS) listen(streamId);
    };
    subscribe(channel, listener);
    return () => void unsubscribe(channel, listener);
  };
  const watched = [
    watch('tracing:ticketing:batching:stream:start', (streamId) => {
      const span = trace.getActiveSpan();
      if (span !== undefined) leaders.set(streamId, span.spanContext());
    }),
    watch('tracing:ticketing:batching:stream:asyncEnd', (streamId) => leaders.delete(streamId)),
    watch('ticketing:batching:stream-join', (streamId) => {
      const context = leaders.get(streamId);
      if (context === undefined) return;
      trace.getActiveSpan()?.addLink({ context }).setAttribute('ticketing.outcome', 'joined');
    }),
  ];
  return () => {
    for (const unwatch of watched) unwatch();
  };
}
