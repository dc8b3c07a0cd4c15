import { CodedError, isMarked, mark } from '@ticketing/kit';

const MARK = 'ticketing.dispatch.DispatchError';

/** Stable codes of {@link DispatchError}. */
export type DispatchErrorCode =
  | 'ERR_BAD_MODULE'
  | 'ERR_CIRCUIT_OPEN'
  | 'ERR_CLOSED'
  | 'ERR_DRAINING'
  | 'ERR_NOT_CLONEABLE'
  /** Cause of `ERR_CIRCUIT_OPEN`: no host of the fleet is there. */
  | 'ERR_NO_HOST'
  | 'ERR_OVERLOADED'
  | 'ERR_QUEUE_FULL'
  | 'ERR_QUEUE_TIMEOUT'
  | 'ERR_RUN_TIMEOUT'
  | 'ERR_START_TIMEOUT'
  | 'ERR_TIMEOUT'
  /** An input or a result exceeds what the transport carries: `data.limit` in bytes. */
  | 'ERR_TOO_LARGE'
  | 'ERR_UNKNOWN_TASK'
  | 'ERR_WORKER_LOST';

/** Facts of the call, named as the options are; `pid` to `stderrTail` are those of a lost worker. */
export interface DispatchErrorData {
  readonly name: string;
  readonly task?: string;
  readonly limit?: number;
  /** Milliseconds of `ERR_OVERLOADED`, integers. */
  readonly expectedWaitMs?: number;
  readonly retryAfterMs?: number;
  readonly pid?: number | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly stderrTail?: string;
}

/** The error of a call that the dispatcher itself ended. `code` is stable, `message` is not. */
export class DispatchError extends CodedError<DispatchErrorCode, DispatchErrorData> {
  static {
    mark(DispatchError, MARK);
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is DispatchError {
    return isMarked(error, MARK);
  }
}
