import { CodedError, isMarked, mark, showValue } from '@ticketing/kit';

const MARK = 'ticketing.socket-router.RouterError';

/** Stable codes of {@link RouterError}. */
export type RouterErrorCode =
  | 'ERR_CIRCUIT_OPEN'
  | 'ERR_SOCKET_PATH'
  | 'ERR_START_TIMEOUT'
  | 'ERR_STATE'
  | 'ERR_WORKER_LOST';

/** Data of a {@link RouterError}: the router's state, the folder for unix sockets, or the process that ended. */
export interface RouterErrorData {
  readonly state?: string;
  readonly folder?: string;
  readonly slot?: string;
  readonly pid?: number | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  /** The last part of the process's standard error, 4 KiB at most. */
  readonly stderrTail?: string;
  /** Milliseconds that were exceeded. */
  readonly limit?: number;
}

/** A failed operation of a router; wrong use is a TypeError or RangeError instead. `code` is stable, `message` is not. */
export class RouterError extends CodedError<RouterErrorCode, RouterErrorData> {
  static {
    mark(RouterError, MARK);
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is RouterError {
    return isMarked(error, MARK);
  }
}

/** Makes the error for workers that fail to start, the last one with `cause`. */
export function workersFailToStart(cause: unknown): RouterError {
  const reason = cause instanceof Error ? cause.message : showValue(cause);
  return new RouterError('ERR_CIRCUIT_OPEN', `Workers keep failing to start: ${reason}`, {
    data: {},
    cause,
  });
}

/** Makes the error for a slot that two sources have. */
export function sharedSlot(slot: string): TypeError {
  return new TypeError(
    `Cannot create router: two of \`workers\` have a slot ${slot}; set \`slotPrefix\` of one`,
  );
}
