import { tracingChannel } from 'node:diagnostics_channel';

/** One event of a traced action, as far as packages publish it. */
interface TraceEvent<Trace extends object> {
  readonly hasSubscribers: boolean;
  publish(trace: Trace): void;
  /** Publishes, and calls a function inside the stores that subscribers bind. */
  runStores<ThisArg, Args extends unknown[], Result>(
    trace: Trace,
    run: (this: ThisArg, ...args: Args) => Result,
    thisArg?: ThisArg,
    ...args: Args
  ): Result;
}

/**
 * A `TracingChannel` of `node:diagnostics_channel`, as far as packages use it. Their declarations must not name that type: the
 * order of its type parameters depends on the version of `@types/node`.
 */
export interface TraceChannel<Trace extends object> {
  readonly hasSubscribers: boolean;
  readonly start: TraceEvent<Trace>;
  readonly end: TraceEvent<Trace>;
  readonly asyncStart: TraceEvent<Trace>;
  readonly asyncEnd: TraceEvent<Trace>;
  readonly error: TraceEvent<Trace>;
}

/** Returns the tracing channel of a name. Bun's own has no `hasSubscribers`: there each event is looked at. */
export function traceChannel<Trace extends object>(name: string): TraceChannel<Trace> {
  const traced: Omit<TraceChannel<Trace>, 'hasSubscribers'> & {
    readonly hasSubscribers?: boolean;
  } = tracingChannel(name);
  if (traced.hasSubscribers !== undefined) return traced as TraceChannel<Trace>;
  const { start, end, asyncStart, asyncEnd, error } = traced;
  const events = [start, end, asyncStart, asyncEnd, error];
  const hasSubscribers = { get: () => events.some((event) => event.hasSubscribers) };
  return Object.defineProperty(traced as TraceChannel<Trace>, 'hasSubscribers', hasSubscribers);
}
