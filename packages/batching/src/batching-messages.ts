/** Messages of the diagnostics channels, by channel; a `tracing:` channel has one object in all its events. */
export interface BatchingMessages {
  /** Each load of a coalescer. */
  readonly 'tracing:ticketing:batching:load': LoadTrace;
  /** A load of a coalescer has settled. */
  readonly 'ticketing:batching:load': LoadMessage;
  /** A call joins a load that is traced. */
  readonly 'ticketing:batching:join': JoinMessage;
  /** A kept result answers a call. */
  readonly 'ticketing:batching:hit': HitMessage;
  /** A call of a coalescer is above a bound. */
  readonly 'ticketing:batching:overflow': OverflowMessage;
  /** Each batch of a batcher. */
  readonly 'tracing:ticketing:batching:batch': BatchTrace;
  /** A batch has settled. */
  readonly 'ticketing:batching:batch': BatchMessage;
  /** Each stream of a stream coalescer. */
  readonly 'tracing:ticketing:batching:stream': StreamTrace;
  /** A stream has ended. */
  readonly 'ticketing:batching:stream': StreamMessage;
  /** A call joins a stream that is traced. */
  readonly 'ticketing:batching:stream-join': StreamJoinMessage;
  /** A call of a stream coalescer is above a bound. */
  readonly 'ticketing:batching:stream-overflow': StreamOverflowMessage;
  /** Each call of a shared loader. */
  readonly 'tracing:ticketing:batching:shared': SharedTrace;
  /** A load for all processes begins. */
  readonly 'ticketing:batching:shared-lead': SharedLeadMessage;
  /** A traced call waits for the load of another caller. */
  readonly 'ticketing:batching:shared-join': SharedJoinMessage;
  /** The state of a coordinator changes. */
  readonly 'ticketing:batching:coordinator': CoordinatorMessage;
}

/** Runs a function in the async context of the first caller: that of the loader is another one. */
export type InCaller = <R>(run: () => R) => R;

/**
 * One load, in the events `start` and `end` around the loader's first synchronous steps, in the loader's context; `error` if it
 * failed, then `asyncStart` and `asyncEnd`, when it has settled.
 */
export interface LoadTrace {
  readonly name: string;
  readonly key: unknown;
  /** Unique among all processes. */
  readonly loadId: string;
  /** A call that found nothing to join, a stale result, or a call above a bound. */
  readonly cause: 'call' | 'renewal' | 'overflow';
  readonly inCaller: InCaller;
  /** Callers that wait now. */
  waiters: number;
  error?: unknown;
}

/** A load that has settled. */
export interface LoadMessage {
  readonly name: string;
  readonly key: unknown;
  /** Milliseconds that the load took; undefined if it began before the subscription. */
  readonly ms: number | undefined;
  readonly error?: unknown;
}

/** A call that joins a load in flight. Published for loads that started after the subscription. */
export interface JoinMessage {
  readonly name: string;
  readonly key: unknown;
  readonly loadId: string;
  /** Callers that wait, this one included. */
  readonly waiters: number;
}

/** A call that a kept result answers. */
export interface HitMessage {
  readonly name: string;
  readonly key: unknown;
  readonly kind: 'value' | 'error';
}

/** A call above a bound of a coalescer. */
export interface OverflowMessage {
  readonly name: string;
  readonly key: unknown;
  readonly code: 'ERR_TOO_MANY_KEYS' | 'ERR_TOO_MANY_WAITERS';
}

/** One batch, in the events of {@link LoadTrace}. */
export interface BatchTrace {
  readonly name: string;
  /** Different keys. */
  readonly keys: number;
  readonly batchId: string;
  readonly inCaller: InCaller;
  /** Keys that failed; set when the batch has settled. */
  failed?: number;
  error?: unknown;
}

/** A batch that has settled. */
export interface BatchMessage {
  readonly name: string;
  /** Different keys. */
  readonly keys: number;
  readonly ms: number;
  /** Keys that failed. */
  readonly failed: number;
}

/** One stream, in the events of {@link LoadTrace}. */
export interface StreamTrace {
  readonly name: string;
  readonly key: unknown;
  /** Unique among all processes. */
  readonly streamId: string;
  /** A call that found nothing to join, or a call above a bound. */
  readonly cause: 'call' | 'overflow';
  readonly inCaller: InCaller;
  /** Items that came; set when the stream has ended. */
  items?: number;
  error?: unknown;
}

/** A stream that has ended. */
export interface StreamMessage {
  readonly name: string;
  readonly key: unknown;
  readonly ms: number;
  /** Items that came. */
  readonly items: number;
  readonly error?: unknown;
}

/** A call that joins a stream in flight. Published for streams that started after the subscription. */
export interface StreamJoinMessage {
  readonly name: string;
  readonly key: unknown;
  readonly streamId: string;
  /** Readers, this one included. */
  readonly readers: number;
}

/** A call above a bound of a stream coalescer. */
export interface StreamOverflowMessage {
  readonly name: string;
  readonly key: unknown;
  readonly code: 'ERR_TOO_MANY_KEYS' | 'ERR_TOO_MANY_READERS';
}

/**
 * One call of a shared loader, in the events `start` and `end` around its first steps, `error` if it failed, then `asyncStart` and
 * `asyncEnd`, when it has its answer.
 */
export interface SharedTrace {
  readonly name: string;
  readonly key: unknown;
  /** Source of the answer, as `stats()` counts it; undefined for a call that ended without one. */
  outcome?: 'led' | 'local' | 'kept' | 'followed';
  /** Load for all processes that it led or waited for: the same text in each process. */
  load?: string;
  error?: unknown;
}

/** A load for all processes that begins. */
export interface SharedLeadMessage {
  readonly name: string;
  readonly load: string;
  /** True if the load renews a kept value in the background. */
  readonly isRenewal: boolean;
  /** Message of the call that leads; undefined if that is not traced, and for a renewal. */
  readonly call: SharedTrace | undefined;
}

/** A call that waits for the load of another caller. */
export interface SharedJoinMessage {
  readonly name: string;
  readonly load: string;
  readonly call: SharedTrace;
}

/** A coordinator whose state changes. */
export interface CoordinatorMessage {
  readonly name: string;
  readonly state: 'up' | 'down';
  /** Failure of the command that changed the state to `down`. */
  readonly error?: unknown;
}
