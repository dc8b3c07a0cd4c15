import { CodedError, isMarked, mark } from '@ticketing/kit';

const MARK = 'ticketing.batching.BatchingError';

/** Stable codes of {@link BatchingError}. */
export type BatchingErrorCode =
  | 'ERR_ABORTED'
  | 'ERR_BATCH_LENGTH'
  | 'ERR_BATCH_RESULT'
  | 'ERR_BATCH_TIMEOUT'
  | 'ERR_CALLER_TIMEOUT'
  | 'ERR_CLOSED'
  | 'ERR_KEY_MISSING'
  | 'ERR_LOAD_TIMEOUT'
  | 'ERR_REENTRANT'
  | 'ERR_TOO_MANY_KEYS'
  | 'ERR_TOO_MANY_WAITERS';

/** Names the coalescer or batcher, and the bound that was met, in the terms of its options. */
export interface BatchingErrorData {
  readonly name: string;
  readonly key?: unknown;
  readonly limit?: number;
}

/** A call that this package ended by itself. `code` is stable, `message` is not. */
export class BatchingError extends CodedError<BatchingErrorCode, BatchingErrorData> {
  static {
    mark(BatchingError, MARK);
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is BatchingError {
    return isMarked(error, MARK);
  }
}

/** What a call met instead of what it needed. */
export interface CallFailure {
  readonly expected: string;
  readonly got: string;
  readonly key?: unknown;
  readonly limit?: number;
}

/** Makes the error of a call to the coalescer or batcher of a name. */
export function callError(
  name: string,
  code: BatchingErrorCode,
  failure: CallFailure,
): BatchingError {
  const { expected, got, ...details } = failure;
  const message = `Cannot get from ${name}: ${expected} expected, got ${got}`;
  return new BatchingError(code, message, { data: { name, ...details } });
}
