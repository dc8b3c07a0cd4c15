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
  | 'ERR_LEASE_LOST'
  | 'ERR_LOAD_TIMEOUT'
  | 'ERR_NOT_FORGOTTEN'
  | 'ERR_READER_BEHIND'
  | 'ERR_REENTRANT'
  | 'ERR_TOO_MANY_KEYS'
  | 'ERR_TOO_MANY_READERS'
  | 'ERR_TOO_MANY_WAITERS'
  | 'ERR_WRONG_TAGS';

/** The coalescer or batcher, and the bound that was reached. */
export interface BatchingErrorData {
  readonly name: string;
  readonly key?: unknown;
  readonly limit?: number;
}

/** Thrown for a call that this package ended itself. `code` is stable, `message` is not. */
export class BatchingError extends CodedError<BatchingErrorCode, BatchingErrorData> {
  static {
    mark(BatchingError, MARK);
  }
  /**
   * HTTP status that fits, as the error handler of Fastify reads it: 503 where a later call may succeed, 504 where time was
   * up, 500 for a loader or a call that is wrong.
   */
  readonly statusCode: 500 | 503 | 504 = statusOf(this.code);
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is BatchingError {
    return isMarked(error, MARK);
  }
}

function statusOf(code: BatchingErrorCode): 500 | 503 | 504 {
  if (/TIMEOUT/.test(code)) return 504;
  return /BATCH|MISSING|REENTRANT|WRONG/.test(code) ? 500 : 503;
}

/** Makes the error of a call to a coalescer or batcher. */
export function callError(
  name: string,
  code: BatchingErrorCode,
  message: string,
  details: Omit<BatchingErrorData, 'name'> = {},
): BatchingError {
  return new BatchingError(code, message, { data: { name, ...details } });
}
