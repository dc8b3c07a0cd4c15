/** One event of a traced action, as those use it who publish it. */
interface TraceEvent<Trace extends object> {
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
