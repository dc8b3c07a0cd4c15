import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { context, type Meter, metrics, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  CompositePropagator,
  type ExportResult,
  ExportResultCode,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { hideSecrets, hideSecretsOf } from '@ticketing/cli-kit';
import { instrumentTicketing } from '@ticketing/otel';
import { watchRequests } from './request-spans.ts';
import type { Telemetry, TelemetrySettings } from './telemetry.ts';

/** Milliseconds between two exports. */
const SPANS_EVERY_MS = 1000;
const METRICS_EVERY_MS = 10_000;
/** Milliseconds that one export may take, with its retries, and that the last one may hold up the exit. */
const EXPORT_MS = 2000;
const FLUSH_MS = 1000;

/** Starts the SDK, and what makes spans and measurements. One at a time in a process: it registers itself globally. */
export function openTelemetry(settings: TelemetrySettings, log: (line: string) => void): Telemetry {
  const { url, sample, instance } = settings;
  const resource = resourceFromAttributes({
    'service.name': 'ticketing-demo',
    'service.instance.id': instance,
    'process.pid': process.pid,
  });
  const outages = reportOutages(url, log);
  const limits = { timeoutMillis: EXPORT_MS };
  const spanExporter = outages.watch(new OTLPTraceExporter({ ...limits, url: `${url}/v1/traces` }));
  const metricExporter = outages.watch(
    new OTLPMetricExporter({ ...limits, url: `${url}/v1/metrics` }),
  );
  const tracerProvider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: spanExporter, scheduledDelayMillis: SPANS_EVERY_MS }),
    ],
  });
  const meterProvider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: metricExporter,
        exportIntervalMillis: METRICS_EVERY_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(
    new CompositePropagator({
      propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
    }),
  );
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  // A request that is proxied has no parent here: it keeps the client's `traceparent`.
  const undici = new UndiciInstrumentation({ requireParentforSpans: true });
  undici.setTracerProvider(tracerProvider);
  undici.setMeterProvider(meterProvider);
  const ticketing = instrumentTicketing({ tracerProvider, meterProvider });
  const loop = measureProcess(meterProvider.getMeter('demo-server'));

  async function end(): Promise<void> {
    ticketing.close();
    undici.disable();
    await within(
      FLUSH_MS,
      Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]),
    );
    loop.close();
    for (const api of [trace, metrics, propagation, context]) api.disable();
  }
  let ended: Promise<void> | undefined;
  return { settings, watch: watchRequests, close: () => (ended ??= end()) };
}

/** Common part of both kinds of exporters. */
interface Exporter<T> {
  export(data: T, done: (result: ExportResult) => void): void;
}

/** Logs when a collector stops answering, once, and when it answers again. What it does not take is dropped. */
function reportOutages(
  url: string,
  log: (line: string) => void,
): { watch<T, E extends Exporter<T>>(exporter: E & Exporter<T>): E } {
  let isOut = false;
  return {
    watch(exporter) {
      const send = exporter.export.bind(exporter);
      exporter.export = (data, done) =>
        send(data, (result) => {
          const hasFailed = result.code !== ExportResultCode.SUCCESS;
          if (hasFailed && !isOut) {
            const why = hideSecretsOf(url, result.error?.message || 'no answer');
            log(
              `Cannot send telemetry: ${why}; --otel must be a collector that answers, got ${hideSecrets(url)}`,
            );
          }
          if (!hasFailed && isOut) log(`Sends telemetry again, to ${hideSecrets(url)}`);
          isOut = hasFailed;
          done(result);
        });
      return exporter;
    },
  };
}

/** Measures what every process has, under the usual names. */
function measureProcess(meter: Meter): { close(): void } {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let before = performance.eventLoopUtilization();
  const memory = meter.createObservableUpDownCounter('process.memory.usage', { unit: 'By' });
  memory.addCallback((result) => result.observe(process.memoryUsage.rss()));
  const utilization = meter.createObservableGauge('nodejs.eventloop.utilization', { unit: '1' });
  utilization.addCallback((result) => {
    const now = performance.eventLoopUtilization();
    result.observe(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  });
  const p99 = meter.createObservableGauge('nodejs.eventloop.delay.p99', { unit: 's' });
  p99.addCallback((result) => {
    result.observe(delay.percentile(99) / 1e9);
    delay.reset();
  });
  return { close: () => void delay.disable() };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
