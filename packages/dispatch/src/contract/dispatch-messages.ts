/** Messages of the diagnostics channels, by channel; a `tracing:` channel has one object in all its events. */
export interface DispatchMessages {
  /** Each call, in the caller's process. */
  readonly 'tracing:ticketing:dispatch:run': RunMessage;
  /** Each run of a task, in the worker. */
  readonly 'tracing:ticketing:dispatch:task': TaskMessage;
  /** An attempt is lost, and another follows. */
  readonly 'ticketing:dispatch:retry': RetryMessage;
  /** A call is refused because it would wait too long. */
  readonly 'ticketing:dispatch:overloaded': OverloadedMessage;
  /** A worker takes tasks. */
  readonly 'ticketing:dispatch:worker-ready': WorkerReadyMessage;
  /** A worker has ended. */
  readonly 'ticketing:dispatch:worker-exit': WorkerExitMessage;
  /** Too many workers have failed. */
  readonly 'ticketing:dispatch:circuit-open': CircuitOpenMessage;
  /** The inspector of a worker listens. */
  readonly 'ticketing:dispatch:inspector-open': InspectorOpenMessage;
}

/** One call, in the events `start` and `end` around the call, then `error` if it failed, `asyncStart` and `asyncEnd`. */
export interface RunMessage {
  /** Name of the dispatcher. */
  readonly name: string;
  readonly task: string;
  readonly id: number;
  /** Empty at `start`, where subscribers may add texts: the task gets them, below the caller's own `metadata`. */
  readonly metadata: Record<string, string>;
  result?: unknown;
  error?: unknown;
  /** Outcome of the call, as `stats()` counts it. */
  outcome?: 'completed' | 'failed' | 'aborted' | 'rejected';
  /** Number of the last attempt, from 1, once the call has settled. */
  attempt?: number;
  /** Worker that had the call last; undefined if the call settled while it waited. */
  workerId?: number | undefined;
  /** Milliseconds from the call until it was last given to a worker, or until it settled if none had it. */
  waitMs?: number;
  /** Milliseconds in the worker; undefined without an answer. */
  runMs?: number;
}

/** One run of a task, in the events of {@link RunMessage}. The task runs in the stores that are bound to `start`. */
export interface TaskMessage {
  readonly task: string;
  /** Number of the call, the same for each attempt. */
  readonly id: number;
  readonly attempt: number;
  readonly workerId: number;
  /** Metadata of the caller, and of subscribers of `tracing:ticketing:dispatch:run:start`. */
  readonly metadata: Readonly<Record<string, string>>;
  result?: unknown;
  error?: unknown;
}

/** An attempt whose worker was lost, while the call waits for the next one. */
export interface RetryMessage {
  /** Message of the call in `tracing:ticketing:dispatch:run`. */
  readonly run: RunMessage;
  readonly attempt: number;
  readonly workerId: number;
  /** Milliseconds from the call until the worker got it. */
  readonly waitMs: number;
  /** Milliseconds that the worker had it. */
  readonly heldMs: number;
}

/** A call that is refused with `ERR_OVERLOADED`. */
export interface OverloadedMessage {
  readonly name: string;
  readonly task: string;
  readonly expectedWaitMs: number;
  readonly retryAfterMs: number;
}

/** A worker that takes tasks. */
export interface WorkerReadyMessage {
  readonly name: string;
  readonly workerId: number;
  /** Process of the worker; undefined if it has none of its own. */
  readonly pid: number | undefined;
}

/** A worker that has ended. */
export interface WorkerExitMessage extends WorkerReadyMessage {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** A dispatcher whose circuit is open. */
export interface CircuitOpenMessage {
  readonly name: string;
  /** Error of the latest worker that failed. */
  readonly error: unknown;
}

/** A worker whose inspector listens. */
export interface InspectorOpenMessage {
  readonly workerId: number;
  readonly slot: number;
  readonly pid: number | undefined;
  /** Address for a debugger. */
  readonly url: string;
}
