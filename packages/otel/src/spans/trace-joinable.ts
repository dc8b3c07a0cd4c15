import { type Attributes, type Link, type Span, trace } from '@opentelemetry/api';
import { failureOf, finish, type OpenSpans, type SpanOptions, shortText } from './open-spans.ts';

/** Message of an operation that calls join while it is under way. */
interface JoinableMessage {
  readonly name: string;
  readonly key: unknown;
  readonly cause: keyof typeof OUTCOME_OF;
  readonly inCaller: <R>(run: () => R) => R;
  readonly error?: unknown;
}

/** Kind of operation that calls join: loads, streams. */
interface JoinableKind<M, J> {
  readonly channel: string;
  readonly joinChannel: string;
  /** First word of each span's name. */
  readonly verb: string;
  readonly nameAttribute: string;
  readonly keyAttribute: string;
  idOf(message: M | J): string;
  /** Returns attributes that are known at the end. */
  atEnd(message: M): Attributes;
}

const OUTCOME_OF = { call: 'led', renewal: 'renewed', overflow: 'overflowed' } as const;

/** Makes a span of each operation, and one of each call that joins it, linked to the first. */
export function traceJoinable<M extends JoinableMessage, J extends { readonly name: string }>(
  options: SpanOptions,
  spans: OpenSpans,
  kind: JoinableKind<M, J>,
): void {
  const { active, subscriptions, tracer, traceJoins, capturesQuery } = options;
  const { channel, joinChannel, verb, nameAttribute, keyAttribute, idOf, atEnd } = kind;
  /** Operations under way by id, and the spans of the calls that joined them. Batching bounds both. */
  const joins = new Map<string, { readonly link: Link; readonly joined: Span[] }>();
  active.bind<M>(subscriptions, channel, (message) => {
    const { name, cause, inCaller, key } = message;
    const parent = inCaller(() => active.current());
    const attributes = {
      [nameAttribute]: name,
      'ticketing.outcome': OUTCOME_OF[cause],
      ...(capturesQuery && { [keyAttribute]: shortText(key) }),
    };
    const span = spans.start(message, parent, `${verb} ${name}`, { attributes });
    if (traceJoins) joins.set(idOf(message), { link: { context: span.spanContext() }, joined: [] });
    // The loader has no context of its caller's, so what it starts gets the span and nothing else of it.
    return trace.setSpan(active.current(), span);
  });
  subscriptions.on<J>(joinChannel, (message) => {
    const led = joins.get(idOf(message));
    if (led === undefined) return;
    const { name } = message;
    const attributes = { [nameAttribute]: name, 'ticketing.outcome': 'joined' };
    const links = [led.link];
    const span = tracer.startSpan(`${verb} ${name}`, { attributes, links }, active.current());
    if (span.isRecording()) led.joined.push(span);
  });
  subscriptions.on<M>(`tracing:${channel}:asyncEnd`, (message) => {
    const failure = failureOf(message, capturesQuery);
    const { joined = [] } = joins.get(idOf(message)) ?? {};
    joins.delete(idOf(message));
    spans.end(message, atEnd(message), failure);
    for (const span of joined) finish(span, {}, failure);
  });
}
