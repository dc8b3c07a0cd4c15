import { CodedError, isMarked, mark } from '@ticketing/kit';

const MARK = 'ticketing.gtfs.GtfsError';

/** Stable codes of {@link GtfsError}. */
export type GtfsErrorCode =
  | 'ERR_GTFS_COLUMN'
  | 'ERR_GTFS_CSV'
  | 'ERR_GTFS_EMPTY'
  | 'ERR_GTFS_MISSING_FILE'
  | 'ERR_GTFS_TOO_LARGE'
  | 'ERR_GTFS_ZIP';

/** Place in the feed where it cannot be read. */
export interface GtfsErrorData {
  /** Name of the file in the zip. */
  readonly file?: string;
  /** Column that is missing. */
  readonly column?: string;
  /** Value of the option that was reached. */
  readonly limit?: number;
}

/** Thrown for a feed that cannot be read. `code` is stable, `message` is not. */
export class GtfsError extends CodedError<GtfsErrorCode, GtfsErrorData> {
  static {
    mark(GtfsError, MARK);
  }
  constructor(
    code: GtfsErrorCode,
    message: string,
    { cause, ...data }: GtfsErrorData & { readonly cause?: unknown } = {},
  ) {
    super(code, `Cannot read feed: ${message}`, cause === undefined ? { data } : { data, cause });
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is GtfsError {
    return isMarked(error, MARK);
  }
}
