import assert from 'node:assert/strict';
import { trace } from '@opentelemetry/api';
import { createCoalescer } from '@ticketing/batching';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { instrumentTicketing } from '@ticketing/otel';
import { libraryFamilies, writeFamilies } from '@ticketing/otel/prometheus';

const createDoubles = (dispatcher) =>
  createCoalescer((number) => dispatcher.run('double', number), { name: 'doubles' });

export default {
  '@ticketing/otel': {
    async 'calls and tasks have spans, a call of a load below it'() {
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
      const doubles = createDoubles(dispatcher);
      assert.deepEqual(await Promise.all([doubles.get(4), doubles.get(4)]), [8, 8]);
      await dispatcher.close();
      otel.close();
      const spans = ['coalesce doubles', 'dispatch double in a span', 'task double'];
      assert.deepEqual(ended.sort(), spans);
    },
  },
  '@ticketing/otel/prometheus': {
    async 'figures are text for Prometheus'() {
      const dispatcher = createInProcessDispatcher(defineTasks({ double: (n) => 2 * n }));
      const doubles = createDoubles(dispatcher);
      await Promise.all([doubles.get(4), doubles.get(4)]);
      const source = { dispatchers: [dispatcher.stats()], coalescers: [doubles.stats()] };
      const { text } = writeFamilies(libraryFamilies, { source });
      await dispatcher.close();
      assert.match(text, /^ticketing_coalescer_calls_total\{name="doubles",outcome="joined"\} 1$/m);
    },
  },
};
