import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  /** `service.instance.id` of the process that sent it. */
  readonly instance: unknown;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Ids of the spans that it is linked to. */
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

/** A collector that takes OTLP as JSON over HTTP, until the test ends. */
export async function receiveTelemetry() {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  const server = createServer(async (request, response) => {
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(await text(request));
    for (const { resource, scopeSpans } of resourceSpans) {
      const instance = plain(resource.attributes)['service.instance.id'];
      for (const each of scopeSpans) {
        for (const span of each.spans) spans.push({ ...received(span), instance });
      }
    }
    for (const { scopeMetrics } of resourceMetrics) {
      for (const each of scopeMetrics) for (const { name } of each.metrics) metrics.add(name);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, metrics };
}

function received(span: {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly spanId: string }[];
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}): Omit<ReceivedSpan, 'instance'> {
  const { name, traceId, spanId, parentSpanId = '', links = [], attributes, status } = span;
  return {
    ...{ name, traceId, spanId, parentSpanId },
    links: links.map((link) => link.spanId),
    attributes: plain(attributes),
    failed: status.code === 2,
  };
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/**
 * Returns the spans of one trace as lines `name instance`, two spaces deeper than their parent's, children in the order of
 * their lines. @throws for orphans, and for more than one root
 */
export function treeOf(spans: readonly ReceivedSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId));
  if (roots.length !== 1) throw new Error(`Roots: ${roots.map(({ name }) => name)}`);
  const under = ({ name, instance, spanId }: ReceivedSpan): string[] => [
    `${name} ${instance}`,
    ...spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .map(under)
      .sort((a, b) => a.join('\n').localeCompare(b.join('\n')))
      .flat()
      .map((line) => `  ${line}`),
  ];
  return roots.flatMap(under);
}

/** Returns traces by the name of their root's own attribute `http.route`. */
export function tracesOf(
  spans: readonly ReceivedSpan[],
  route: string,
): readonly (readonly ReceivedSpan[])[] {
  const roots = spans.filter(({ attributes }) => attributes['http.route'] === route);
  const traces = new Set(roots.map(({ traceId }) => traceId));
  return [...traces].map((id) => spans.filter(({ traceId }) => traceId === id));
}
