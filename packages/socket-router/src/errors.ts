import { CodedError, isMarked, mark } from '@ticketing/kit';

const MARK = 'ticketing.socket-router.RouterError';

/** Stable codes of {@link RouterError}. */
export type RouterErrorCode = 'ERR_SOCKET_PATH' | 'ERR_STATE';

/** What the router found: its state, or the folder for unix sockets. */
export interface RouterErrorData {
  readonly state?: string;
  readonly folder?: string;
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
