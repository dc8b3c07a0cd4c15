// A user's program: spans of the libraries for a tracer of OpenTelemetry's API, and their figures for Prometheus, with only the published packages.
import assert from 'node:assert/strict';
import { trace } from '@opentelemetry/api';
import { createCoalescer } from '@ticketing/batching';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { instrumentTicketing } from '@ticketing/otel';
import { libraryFamilies, writeFamilies } from '@ticketing/otel/prometheus';

const ended = [];
const tracer = {
  startSpan(name, _options, parent) {
    const span = trace.wrapSpanContext({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: String(ended.length + 1).padStart(16, '0'),
      traceFlags: 1,
    });
    const under = trace.getSpan(parent)?.spanContext().spanId;
    span.end = () => ended.push(under === undefined ? name : `${name} in a span`);
    return span;
  },
};
const otel = instrumentTicketing({ tracerProvider: { getTracer: () => tracer } });
const dispatcher = createInProcessDispatcher(defineTasks({ double: (n) => 2 * n }));
const doubles = createCoalescer((n) => dispatcher.run('double', n), { name: 'doubles' });
assert.deepEqual(await Promise.all([doubles.get(4), doubles.get(4)]), [8, 8]);
await dispatcher.close();
otel.close();
assert.deepEqual(ended.sort(), ['coalesce doubles', 'dispatch double in a span', 'task double']);
const source = { dispatchers: [dispatcher.stats()], coalescers: [doubles.stats()] };
const { text } = writeFamilies(libraryFamilies, { source });
assert.match(text, /^ticketing_coalescer_calls_total\{name="doubles",outcome="joined"\} 1$/m);
console.log(
  `node ${process.version}: the libraries make spans for OpenTelemetry, and figures for Prometheus`,
);
