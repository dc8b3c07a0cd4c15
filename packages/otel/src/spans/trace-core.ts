import { type Attributes, trace } from '@opentelemetry/api';
import type { CarrierMessage, ScatterMessage, SearchMessage, SourceMessage } from '../channels.ts';
import { outcomeOfCall } from '../outcome-of-call.ts';
import type { Failure, OpenSpans, SpanOptions } from './open-spans.ts';

/** Carrier states that make a span an error: the others are answers, or the caller's own doing. */
const FAILED_STATES: ReadonlySet<string> = new Set([
  'timeout',
  'error',
  'rejected-busy',
  'rate-limited',
  'circuit-open',
]);

/** Makes spans of searches and their carriers. */
export function traceSearches(
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
    spans.end(message, { 'ticketing.outcome': outcomeOfCall(message) });
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
    spans.end(message, attributes, failureOfState(state, { error, capturesQuery }));
  });
}

/** Makes spans of calls of scatters and their sources. */
export function traceScatters(
  { active, subscriptions, capturesQuery }: SpanOptions,
  spans: OpenSpans,
): void {
  const SCATTER = 'ticketing:core:scatter';
  active.bind<ScatterMessage>(subscriptions, SCATTER, (message) => {
    const { scatter: name, deadlineMs } = message;
    const parent = active.current();
    const attributes = {
      'ticketing.scatter.name': name,
      'ticketing.scatter.deadline_ms': deadlineMs,
    };
    return trace.setSpan(parent, spans.start(message, parent, `scatter ${name}`, { attributes }));
  });
  subscriptions.on<ScatterMessage>(`tracing:${SCATTER}:asyncEnd`, (message) => {
    spans.end(message, { 'ticketing.outcome': outcomeOfCall(message) });
  });

  const SOURCE = 'ticketing:core:source';
  active.bind<SourceMessage>(subscriptions, SOURCE, (message) => {
    const { scatter: name, source } = message;
    const parent = active.current();
    const attributes = { 'ticketing.scatter.name': name, 'ticketing.source': source };
    return trace.setSpan(parent, spans.start(message, parent, `source ${source}`, { attributes }));
  });
  subscriptions.on<SourceMessage>(`tracing:${SOURCE}:asyncEnd`, (message) => {
    const { state = 'error', error } = message.status ?? {};
    const failure = failureOfState(state, { error, capturesQuery });
    spans.end(message, { 'ticketing.source.state': state }, failure);
  });
}

function failureOfState(
  state: string,
  {
    error,
    capturesQuery,
  }: {
    readonly error: { readonly code: string; readonly message: string } | undefined;
    readonly capturesQuery: boolean;
  },
): Failure | undefined {
  if (!FAILED_STATES.has(state)) return undefined;
  return { type: error?.code ?? state, text: capturesQuery ? error?.message : undefined };
}
