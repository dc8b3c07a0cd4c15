/** How one task is run. */
export interface RunOptions {
  /** Gives up: the call rejects with `signal.reason` at once, and the task's own signal aborts. */
  readonly signal?: AbortSignal;
  /** Milliseconds from the call to its answer, attempts included, 1 to 2^31-1; then `ERR_TIMEOUT`. Default: no limit. */
  readonly timeoutMs?: number;
  /** Milliseconds until the task has started, 1 to 2^31-1; then `ERR_QUEUE_TIMEOUT`. Default: no limit. */
  readonly queueTimeoutMs?: number;
  /** Milliseconds from the start of the task in its worker, 1 to 2^31-1; then `ERR_RUN_TIMEOUT`. Default: no limit. */
  readonly runTimeoutMs?: number;
  /** Higher goes first; a step is worth a second of waiting. An integer, -1000 to 1000. Default 0. */
  readonly priority?: number;
  /** Tasks of one key run on one worker, while it lives; its successor takes over. Default: any worker. */
  readonly key?: string;
  /** States that the task may run twice. Default `false`. */
  readonly idempotent?: boolean;
  /** How often the task is started anew if its worker is lost, 0 to 100; above 0 only with `idempotent`. Default 0. */
  readonly retries?: number;
  /**
   * Buffers of the input that are moved, not copied; the call is lost with its worker, so not with `retries`. A TypeError
   * where `capabilities.transfer` is false.
   */
  readonly transfer?: readonly ArrayBuffer[];
  /** Texts that the task gets as `context.metadata`. Default: none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Gets what the task reports, in order, never after the call has settled. If it throws, the call rejects with that. */
  readonly onProgress?: (data: unknown) => void;
}

/** How many tasks are run over an iterable. */
export interface MapOptions extends Omit<RunOptions, 'transfer' | 'key'> {
  /** Tasks in flight at most, a positive integer; that many inputs are read ahead, no more. Default: twice the workers. */
  readonly concurrency?: number;
  /** Whether results come in the order of the inputs (default), or as they settle. */
  readonly ordered?: boolean;
}
