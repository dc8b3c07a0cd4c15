import { type SpanContext, trace } from '@opentelemetry/api';
import type {
  BatchMessage,
  JoinMessage,
  LeadMessage,
  LoadMessage,
  SharedJoinMessage,
  SharedMessage,
  StreamJoinMessage,
  StreamMessage,
} from '../channels.ts';
import { failureOf, type OpenSpans, type SpanOptions } from './open-spans.ts';
import { traceJoinable } from './trace-joinable.ts';

/** Makes spans of loads, streams, batches and shared loads. */
export function traceBatching(options: SpanOptions, spans: OpenSpans): void {
  traceJoinable<LoadMessage, JoinMessage>(options, spans, {
    channel: 'ticketing:batching:load',
    joinChannel: 'ticketing:batching:join',
    verb: 'coalesce',
    nameAttribute: 'ticketing.coalescer.name',
    keyAttribute: 'ticketing.coalescer.key',
    idOf: ({ loadId }) => loadId,
    atEnd: ({ waiters }) => ({ 'ticketing.coalescer.waiters': waiters }),
  });
  traceJoinable<StreamMessage, StreamJoinMessage>(options, spans, {
    channel: 'ticketing:batching:stream',
    joinChannel: 'ticketing:batching:stream-join',
    verb: 'stream',
    nameAttribute: 'ticketing.stream.name',
    keyAttribute: 'ticketing.stream.key',
    idOf: ({ streamId }) => streamId,
    atEnd: ({ items = 0 }) => ({ 'ticketing.stream.items': items }),
  });
  traceBatches(options, spans);
  traceShared(options, spans);
}

function traceBatches(
  { active, subscriptions, capturesQuery }: SpanOptions,
  spans: OpenSpans,
): void {
  const BATCH = 'ticketing:batching:batch';
  active.bind<BatchMessage>(subscriptions, BATCH, (message) => {
    const { name, keys, inCaller } = message;
    const parent = inCaller(() => active.current());
    const attributes = { 'ticketing.batcher.name': name, 'ticketing.batcher.keys': keys };
    const span = spans.start(message, parent, `batch ${name}`, { attributes });
    return trace.setSpan(active.current(), span);
  });
  subscriptions.on<BatchMessage>(`tracing:${BATCH}:asyncEnd`, (message) => {
    const { failed = 0 } = message;
    spans.end(message, { 'ticketing.batcher.failed': failed }, failureOf(message, capturesQuery));
  });
}

/** A call that waits for a load that this process leads is linked to it; the leader's trace in another process has the same `load`. */
function traceShared(
  { active, subscriptions, capturesQuery }: SpanOptions,
  spans: OpenSpans,
): void {
  const SHARED = 'ticketing:batching:shared';
  /** Leading spans under way, by load. */
  const leaders = new Map<string, SpanContext>();
  active.bind<SharedMessage>(subscriptions, SHARED, (message) => {
    const parent = active.current();
    const attributes = { 'ticketing.shared.name': message.name };
    return trace.setSpan(
      parent,
      spans.start(message, parent, `share ${message.name}`, { attributes }),
    );
  });
  subscriptions.on<LeadMessage>(`${SHARED}-lead`, ({ load, call }) => {
    const context = call && spans.of(call)?.spanContext();
    if (context !== undefined) leaders.set(load, context);
  });
  subscriptions.on<SharedJoinMessage>(`${SHARED}-join`, ({ load, call }) => {
    const context = leaders.get(load);
    if (context !== undefined) spans.of(call)?.addLink({ context });
  });
  subscriptions.on<SharedMessage>(`tracing:${SHARED}:asyncEnd`, (message) => {
    const { outcome, load } = message;
    if (outcome === 'led' && load !== undefined) leaders.delete(load);
    spans.end(
      message,
      {
        ...(outcome !== undefined && { 'ticketing.outcome': outcome }),
        ...(load !== undefined && { 'ticketing.shared.load': load }),
      },
      failureOf(message, capturesQuery),
    );
  });
}
