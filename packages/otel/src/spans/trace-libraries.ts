import { OpenSpans, type SpanOptions } from './open-spans.ts';
import { traceBatching } from './trace-batching.ts';
import { traceScatters, traceSearches } from './trace-core.ts';
import { traceDispatch } from './trace-dispatch.ts';
import { traceResilience } from './trace-resilience.ts';

/** Makes spans of what the libraries publish. */
export function traceLibraries(options: SpanOptions): void {
  const spans = new OpenSpans(options);
  traceBatching(options, spans);
  traceSearches(options, spans);
  traceScatters(options, spans);
  traceDispatch(options, spans);
  traceResilience(options);
}
