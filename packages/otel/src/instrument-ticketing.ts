import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type MeterProvider,
  metrics,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { aFlag, oneOf, resolveByRules, withMethods } from '@ticketing/kit';
import { ActiveContext, storageOfContextManager } from './active-context.ts';
import { Subscriptions } from './channels.ts';
import { measureLibraries } from './metrics/measure-libraries.ts';
import { traceLibraries } from './spans/trace-libraries.ts';

/** Options of `instrumentTicketing`. */
export interface InstrumentOptions {
  /** Makes the tracer. Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** Makes the meter. Default: the global one. */
  readonly meterProvider?: MeterProvider;
  /** True to give a call that joins a load a span of its waiting, linked to the load's. Default `true`. */
  readonly traceJoins?: boolean;
  /** `query`: spans also have stations, dates, keys and the messages of errors. Default `none`. */
  readonly capture?: 'none' | 'query';
  /** The storage of the context manager, for the spans of others inside ours. Default: looked for in the global one. */
  readonly asyncLocalStorage?: AsyncLocalStorage<Context>;
}

/** Subscriptions of `instrumentTicketing`. */
export interface Instrumentation {
  /** Unsubscribes everything. Spans that are under way are not ended, and so not exported. Idempotent. */
  close(): void;
}

const NAME = '@ticketing/otel';

const aStorage = {
  expected: 'an AsyncLocalStorage',
  test: (value: unknown): boolean => value instanceof AsyncLocalStorage,
};

/**
 * Starts spans and measurements of the `@ticketing` libraries in this process or thread: of all instances, whichever copy
 * of a library they come from. Register the program's context manager, propagator and providers before. What a tracer,
 * meter or exporter throws never reaches the libraries.
 *
 * @throws TypeError for options that are unknown or wrong
 * @example
 * const otel = instrumentTicketing({ tracerProvider, meterProvider });
 */
export function instrumentTicketing(options: InstrumentOptions = {}): Instrumentation {
  const resolved = resolveByRules<
    Required<Pick<InstrumentOptions, 'traceJoins' | 'capture'>> & InstrumentOptions
  >('instrument ticketing', options, {
    tracerProvider: withMethods('getTracer'),
    meterProvider: withMethods('getMeter'),
    traceJoins: { ...aFlag, fallback: true },
    capture: oneOf('none', 'query'),
    asyncLocalStorage: aStorage,
  });
  const {
    tracerProvider = trace.getTracerProvider(),
    meterProvider = metrics.getMeterProvider(),
    asyncLocalStorage = storageOfContextManager(),
    traceJoins,
    capture,
  } = resolved;
  const subscriptions = new Subscriptions();
  traceLibraries({
    tracer: tracerProvider.getTracer(NAME),
    active: new ActiveContext(asyncLocalStorage),
    subscriptions,
    traceJoins,
    capturesQuery: capture === 'query',
  });
  measureLibraries(meterProvider.getMeter(NAME), subscriptions);
  return { close: () => subscriptions.end() };
}
