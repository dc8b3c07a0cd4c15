import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** A span as plain data, so that a worker can send it. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 is an error. */
  readonly status: number;
  readonly message: string | undefined;
}

/** Registers what a program registers: a context manager, a propagator and a provider whose spans stay in memory. */
export function startTelemetry(): { readonly provider: TracerProvider; take(): SeenSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const undici = new UndiciInstrumentation();
  undici.setTracerProvider(provider);
  undici.enable();
  return {
    provider,
    take() {
      const spans = exporter.getFinishedSpans().map(seen);
      exporter.reset();
      return spans;
    },
  };
}

function seen(span: ReadableSpan): SeenSpan {
  const { name, kind, parentSpanContext, links, attributes, status } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    name,
    kind,
    traceId,
    spanId,
    parentSpanId: parentSpanContext?.spanId,
    links: links.map((link) => link.context.spanId),
    attributes: { ...attributes },
    status: status.code,
    message: status.message,
  };
}

/** Returns the names of spans as one tree, children in the order of their names. @throws if there are orphans or two roots */
export function treeOf(spans: readonly SeenSpan[]): unknown {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  const orphans = spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId));
  if (orphans.length > 0) throw new Error(`Orphans: ${orphans.map(({ name }) => name)}`);
  if (new Set(spans.map(({ traceId }) => traceId)).size !== 1) throw new Error('Several traces');
  const [root, ...others] = roots;
  if (root === undefined || others.length > 0) {
    throw new Error(`Roots: ${roots.map(({ name }) => name)}`);
  }
  const under = ({ name, spanId }: SeenSpan): unknown => {
    const children = spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .sort((a, b) => a.name.localeCompare(b.name));
    return children.length === 0 ? name : { [name]: children.map(under) };
  };
  return under(root);
}
