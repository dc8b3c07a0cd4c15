import type { GuardStats } from './guard-stats.ts';

/** One attempt of a call, as the called function sees it. */
export interface Attempt {
  /** Number of the attempt in its call, from 1. */
  readonly number: number;
  readonly kind: 'first' | 'retry' | 'hedge';
  /**
   * Aborted when the attempt is no longer needed: its caller has left, the deadline or `attemptTimeoutMs` has passed,
   * another attempt has won, or the guard is closed. It is made when it is read.
   */
  readonly signal: AbortSignal;
  /** Deadline of the call in milliseconds since 1970, as the caller gave it. */
  readonly deadline: number | undefined;
}

/** An attempt as policies of other libraries pass it. */
export interface ExecuteContext {
  /** Number of the attempt in its call, from 0. */
  readonly attempt: number;
  /** Signal of the attempt. */
  readonly signal: AbortSignal;
}

export interface RunOptions {
  /** Ends the call: it rejects with the signal's reason, and its attempts are aborted. */
  readonly signal?: AbortSignal | undefined;
  /** End of the call and of all its attempts, in milliseconds since 1970. Default: none. */
  readonly deadline?: number | undefined;
}

/** Guards the calls to one upstream. */
export interface Guard {
  readonly name: string;
  /**
   * Calls a function as the parts of this guard allow. Resolves with the first success of its attempts, or rejects with the error
   * of the last one.
   *
   * Rejects with a {@link GuardError} if the guard refuses the call or its time is over, and with the signal's reason if that
   * aborts. It settles then even if the function never does.
   */
  run<T>(fn: (attempt: Attempt) => T | PromiseLike<T>, options?: RunOptions): Promise<T>;
  /** Calls a function as `run` does, in the shape that policies of other libraries have. */
  execute<T>(fn: (context: ExecuteContext) => T | PromiseLike<T>, signal?: AbortSignal): Promise<T>;
  /** Returns the counters since the start, and the present state of each part. */
  stats(): GuardStats;
  /** Rejects all calls, later ones too, with `ERR_CLOSED`, and aborts their attempts. Further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
