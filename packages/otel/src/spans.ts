import {
  type Attributes,
  type Context,
  type Link,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ActiveContext } from './active-context.ts';
import type {
  BatchMessage,
  CarrierMessage,
  JoinMessage,
  LoadMessage,
  RetryMessage,
  RunMessage,
  SearchMessage,
  Subscriptions,
  TaskMessage,
} from './channels.ts';
import { errorType } from './error-type.ts';

export interface SpanOptions {
  readonly tracer: Tracer;
  readonly active: ActiveContext;
  readonly subscriptions: Subscriptions;
  readonly traceJoins: boolean;
  /** Whether spans have stations, dates, keys and messages of errors. */
  readonly capturesQuery: boolean;
}

/** Longest text of an attribute that the caller's data decides. */
const MAX_TEXT = 256;

/** Carrier states that make a span an error: the others are answers, or the caller's own doing. */
const FAILED_STATES: ReadonlySet<string> = new Set([
  'timeout',
  'error',
  'rejected-busy',
  'rate-limited',
]);

/** Makes spans of what the libraries publish. */
export function traceLibraries(options: SpanOptions): void {
  const spans = new OpenSpans(options);
  traceLoads(options, spans);
  traceSearches(options, spans);
  traceDispatch(options, spans);
}

function traceLoads(options: SpanOptions, spans: OpenSpans): void {
  const { active, subscriptions, tracer, traceJoins, capturesQuery } = options;
  const LOAD = 'ticketing:batching:load';
  /** Loads under way by id, and the spans of the calls that joined them. Batching bounds both. */
  const joins = new Map<string, { readonly link: Link; readonly joined: Span[] }>();
  active.bind<LoadMessage>(subscriptions, LOAD, (message) => {
    const { name, loadId, cause, inCaller, key } = message;
    const span = spans.start(
      message,
      inCaller(() => active.current()),
      `coalesce ${name}`,
      {
        attributes: {
          'ticketing.coalescer.name': name,
          'ticketing.outcome': OUTCOME_OF[cause],
          ...(capturesQuery && { 'ticketing.coalescer.key': shortText(key) }),
        },
      },
    );
    if (traceJoins) joins.set(loadId, { link: { context: span.spanContext() }, joined: [] });
    // The loader has no context of its caller's, so what it starts gets the span and nothing else of it.
    return trace.setSpan(active.current(), span);
  });
  subscriptions.on<JoinMessage>('ticketing:batching:join', ({ name, loadId }) => {
    const load = joins.get(loadId);
    if (load === undefined) return;
    const attributes = { 'ticketing.coalescer.name': name, 'ticketing.outcome': 'joined' };
    const links = [load.link];
    const span = tracer.startSpan(`coalesce ${name}`, { attributes, links }, active.current());
    if (span.isRecording()) load.joined.push(span);
  });
  subscriptions.on<LoadMessage>(`tracing:${LOAD}:asyncEnd`, (message) => {
    const failure = failureOf(message, capturesQuery);
    const { joined = [] } = joins.get(message.loadId) ?? {};
    joins.delete(message.loadId);
    spans.end(message, { 'ticketing.coalescer.waiters': message.waiters }, failure);
    for (const span of joined) finish(span, {}, failure);
  });

  const BATCH = 'ticketing:batching:batch';
  active.bind<BatchMessage>(subscriptions, BATCH, (message) => {
    const { name, keys, inCaller } = message;
    const span = spans.start(
      message,
      inCaller(() => active.current()),
      `batch ${name}`,
      {
        attributes: { 'ticketing.batcher.name': name, 'ticketing.batcher.keys': keys },
      },
    );
    return trace.setSpan(active.current(), span);
  });
  subscriptions.on<BatchMessage>(`tracing:${BATCH}:asyncEnd`, (message) => {
    const { failed = 0 } = message;
    spans.end(message, { 'ticketing.batcher.failed': failed }, failureOf(message, capturesQuery));
  });
}

const OUTCOME_OF = { call: 'led', renewal: 'renewed', overflow: 'overflowed' } as const;

function traceSearches(
  { active, subscriptions, capturesQuery }: SpanOptions,
  spans: OpenSpans,
): void {
  const SEARCH = 'ticketing:core:search';
  active.bind<SearchMessage>(subscriptions, SEARCH, (message) => {
    const { query, deadlineMs } = message;
    const parent = active.current();
    const attributes: Attributes = { 'ticketing.search.deadline_ms': deadlineMs };
    if (capturesQuery) {
      attributes['ticketing.search.origin'] = query.origin.name;
      attributes['ticketing.search.destination'] = query.destination.name;
      attributes['ticketing.search.date'] = query.date;
      attributes['ticketing.search.passengers'] = query.passengers.length;
    }
    return trace.setSpan(parent, spans.start(message, parent, 'search', { attributes }));
  });
  subscriptions.on<SearchMessage>(`tracing:${SEARCH}:asyncEnd`, (message) => {
    spans.end(message, { 'ticketing.outcome': outcomeOfSearch(message) });
  });

  const CARRIER = 'ticketing:core:carrier';
  active.bind<CarrierMessage>(subscriptions, CARRIER, (message) => {
    const parent = active.current();
    const attributes = { 'ticketing.carrier': message.carrier };
    const span = spans.start(message, parent, `carrier ${message.carrier}`, { attributes });
    return trace.setSpan(parent, span);
  });
  subscriptions.on<CarrierMessage>(`tracing:${CARRIER}:asyncEnd`, (message) => {
    const { state = 'error', found = 0, error } = message.status ?? {};
    const attributes = { 'ticketing.carrier.state': state, 'ticketing.carrier.found': found };
    const type = error?.code ?? state;
    const text = capturesQuery ? error?.message : undefined;
    spans.end(message, attributes, FAILED_STATES.has(state) ? { type, text } : undefined);
  });
}

/** The `ticketing.outcome` of a search that has ended. */
export function outcomeOfSearch({ ended }: SearchMessage): string {
  if (ended?.aborted) return 'aborted';
  return ended?.complete ? 'complete' : 'partial';
}

function traceDispatch(options: SpanOptions, spans: OpenSpans): void {
  const { active, subscriptions, tracer, capturesQuery } = options;
  const RUN = 'tracing:ticketing:dispatch:run';
  const startedAt = new WeakMap<RunMessage, number>();
  subscriptions.on<RunMessage>(`${RUN}:start`, (message) => {
    const { name, task, metadata } = message;
    const parent = active.current();
    const span = spans.start(message, parent, `dispatch ${task}`, {
      kind: SpanKind.PRODUCER,
      attributes: { 'ticketing.dispatch.pool': name, 'ticketing.dispatch.task': task },
    });
    startedAt.set(message, performance.now());
    propagation.inject(trace.setSpan(parent, span), metadata);
  });
  /** Reports an attempt whose worker is dead and exports nothing. */
  function reportLost(run: RunMessage, attempt: number, workerId: number, heldMs: number): void {
    const dispatched = spans.of(run);
    if (dispatched === undefined) return;
    const now = Date.now();
    const attributes = taskAttributes({ task: run.task, attempt, workerId });
    const settings = { kind: SpanKind.CONSUMER, attributes, startTime: now - heldMs };
    const parent = trace.setSpan(active.current(), dispatched);
    const lost = tracer.startSpan(`task ${run.task}`, settings, parent);
    finish(lost, {}, { type: 'ERR_WORKER_LOST', text: undefined }, now);
  }
  subscriptions.on<RetryMessage>('ticketing:dispatch:retry', ({ run, attempt, workerId, heldMs }) =>
    reportLost(run, attempt, workerId, heldMs),
  );
  subscriptions.on<RunMessage>(`${RUN}:asyncEnd`, (message) => {
    const { attempt, workerId, waitMs, runMs } = message;
    const attributes: Attributes = {};
    if (attempt !== undefined) attributes['ticketing.dispatch.attempts'] = attempt;
    if (workerId !== undefined) attributes['ticketing.dispatch.worker'] = workerId;
    if (waitMs !== undefined) attributes['ticketing.dispatch.wait_ms'] = waitMs;
    if (runMs !== undefined) attributes['ticketing.dispatch.run_ms'] = runMs;
    const failure = failureOf(message, capturesQuery);
    if (failure?.type === 'ERR_WORKER_LOST' && attempt !== undefined && workerId !== undefined) {
      const elapsedMs = performance.now() - (startedAt.get(message) ?? performance.now());
      reportLost(message, attempt, workerId, Math.max(0, elapsedMs - (waitMs ?? 0)));
    }
    spans.end(message, attributes, failure);
  });

  const TASK = 'ticketing:dispatch:task';
  active.bind<TaskMessage>(subscriptions, TASK, (message) => {
    const parent = propagation.extract(active.current(), message.metadata);
    const span = spans.start(message, parent, `task ${message.task}`, {
      kind: SpanKind.CONSUMER,
      attributes: taskAttributes(message),
    });
    return trace.setSpan(parent, span);
  });
  subscriptions.on<TaskMessage>(`tracing:${TASK}:asyncEnd`, (message) => {
    spans.end(message, {}, failureOf(message, capturesQuery));
  });
}

function taskAttributes({
  task,
  attempt,
  workerId,
}: Pick<TaskMessage, 'task' | 'attempt' | 'workerId'>): Attributes {
  return {
    'ticketing.dispatch.task': task,
    'ticketing.dispatch.attempt': attempt,
    'ticketing.dispatch.worker': workerId,
  };
}

interface Failure {
  readonly type: string;
  readonly text: string | undefined;
}

function failureOf(
  message: { readonly error?: unknown },
  capturesQuery: boolean,
): Failure | undefined {
  if (!('error' in message)) return undefined;
  const { error } = message;
  const text = capturesQuery && error instanceof Error ? shortText(error.message) : undefined;
  return { type: errorType(error), text };
}

function shortText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : typeof value;
}

/** Spans under way by the message that all events of one operation share. */
class OpenSpans {
  readonly #tracer: Tracer;
  readonly #spans = new WeakMap<object, Span>();

  constructor({ tracer }: SpanOptions) {
    this.#tracer = tracer;
  }

  start(
    message: object,
    parent: Context,
    name: string,
    settings: { readonly attributes: Attributes; readonly kind?: SpanKind },
  ): Span {
    const span = this.#tracer.startSpan(name, settings, parent);
    this.#spans.set(message, span);
    return span;
  }

  of(message: object): Span | undefined {
    return this.#spans.get(message);
  }

  /** Does nothing for an operation that began before the subscription. */
  end(message: object, attributes: Attributes, failure?: Failure): void {
    const span = this.#spans.get(message);
    if (span === undefined) return;
    this.#spans.delete(message);
    finish(span, attributes, failure);
  }
}

function finish(span: Span, attributes: Attributes, failure?: Failure, endTime?: number): void {
  if (span.isRecording()) {
    span.setAttributes(attributes);
    if (failure !== undefined) {
      const { type, text } = failure;
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(text !== undefined && { message: text }) });
    }
  }
  span.end(endTime);
}
