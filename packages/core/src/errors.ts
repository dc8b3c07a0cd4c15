import { CodedError, isMarked, mark } from '@ticketing/kit';
import { fieldOf, tryRead } from './read-field.ts';

const RAIL_MARK = 'ticketing.core.RailError';
const CARRIER_MARK = 'ticketing.core.CarrierError';

/** Stable codes of {@link RailError}. */
export type RailErrorCode =
  | 'ERR_BAD_QUERY'
  | 'ERR_CLOSED'
  | 'ERR_CURRENCY_MISMATCH'
  | 'ERR_JOURNEY'
  | 'ERR_LOCAL_TIME'
  | 'ERR_MONEY';

/** Details for programs: the parameter of a query, the expected value, the actual one. */
export interface RailErrorData {
  readonly parameter?: string;
  readonly expected?: string;
  readonly got?: unknown;
}

/** A value or a query that this package refuses. `code` is stable, `message` is not. */
export class RailError extends CodedError<RailErrorCode, RailErrorData> {
  static {
    mark(RailError, RAIL_MARK);
  }
  constructor(code: RailErrorCode, message: string, data: RailErrorData = {}) {
    super(code, message, { data });
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is RailError {
    return isMarked(error, RAIL_MARK);
  }
}

const retryableByCode = {
  TIMEOUT: true,
  ABORTED: false,
  NETWORK: true,
  HTTP: false,
  RATE_LIMITED: true,
  CIRCUIT_OPEN: true,
  AUTH: false,
  BAD_REQUEST: false,
  NO_RESULTS: false,
  NOT_SERVED: false,
  DATE_OUT_OF_RANGE: false,
  PROTOCOL: false,
  UPSTREAM: true,
  OVERLOADED: true,
  INTERNAL: false,
} as const;

/** Reason why a carrier did not answer. */
export type CarrierErrorCode = keyof typeof retryableByCode;

/** Details of a {@link CarrierError}. */
export interface CarrierErrorOptions {
  readonly cause?: unknown;
  /** True if the same request may succeed later. Default: by code; HTTP is `false` unless stated. */
  readonly retryable?: boolean | undefined;
  /** HTTP status of the carrier's answer. */
  readonly httpStatus?: number | undefined;
  /** Milliseconds that the carrier asked to wait (`Retry-After`). */
  readonly retryAfterMs?: number | undefined;
}

/** A carrier's failure, as every adapter reports it. `code` is stable, `message` is not. */
export class CarrierError extends Error {
  static {
    mark(CarrierError, CARRIER_MARK);
  }
  readonly code: CarrierErrorCode;
  readonly retryable: boolean;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(code: CarrierErrorCode, message: string, options: CarrierErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryable = options.retryable ?? retryableByCode[code];
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
  }
  /** Recognises an error of this class, also of another copy of this package. */
  static is(error: unknown): error is CarrierError {
    return isMarked(error, CARRIER_MARK);
  }
  /**
   * Returns any thrown value as a CarrierError, and never throws. A value with a carrier's code keeps it and
   * its details (an error that crossed a process as data). A RailError of a value that is no journey, time or amount
   * becomes PROTOCOL, a full queue OVERLOADED, an open circuit CIRCUIT_OPEN, a dispatcher's timeouts and the end of `AbortSignal.timeout` TIMEOUT, an
   * abort ABORTED, all else INTERNAL. The value is the `cause`.
   */
  static from(error: unknown): CarrierError {
    if (tryRead(() => CarrierError.is(error))) return error as CarrierError;
    const code = fieldOf(error, 'code', 'string');
    const known = carrierCodeOf(code);
    const text = fieldOf(error, 'message', 'string') ?? describe(error, code);
    if (known === undefined) {
      const named = carrierCodeOf(fieldOf(error, 'name', 'string'));
      return new CarrierError(named ?? 'INTERNAL', text, { cause: error });
    }
    return new CarrierError(known, text, {
      cause: error,
      retryable: fieldOf(error, 'retryable', 'boolean'),
      httpStatus: fieldOf(error, 'httpStatus', 'number'),
      retryAfterMs:
        fieldOf(error, 'retryAfterMs', 'number') ??
        fieldOf(
          tryRead(() => Object(error).data),
          'retryAfterMs',
          'number',
        ),
    });
  }
}

// Codes of values in an answer that cannot be read, a dispatcher's codes, and the names of the platform's own errors.
const foreignCodes: Readonly<Record<string, CarrierErrorCode>> = {
  ERR_JOURNEY: 'PROTOCOL',
  ERR_LOCAL_TIME: 'PROTOCOL',
  ERR_MONEY: 'PROTOCOL',
  ERR_CIRCUIT_OPEN: 'CIRCUIT_OPEN',
  ERR_OVERLOADED: 'OVERLOADED',
  ERR_QUEUE_FULL: 'OVERLOADED',
  ERR_QUEUE_TIMEOUT: 'TIMEOUT',
  ERR_RATE_LIMITED: 'RATE_LIMITED',
  ERR_RUN_TIMEOUT: 'TIMEOUT',
  ERR_TIMEOUT: 'TIMEOUT',
  AbortError: 'ABORTED',
  TimeoutError: 'TIMEOUT',
};

function carrierCodeOf(code: string | undefined): CarrierErrorCode | undefined {
  if (code === undefined) return undefined;
  if (Object.hasOwn(retryableByCode, code)) return code as CarrierErrorCode;
  return Object.hasOwn(foreignCodes, code) ? foreignCodes[code] : undefined;
}

function describe(error: unknown, code: string | undefined): string {
  if (typeof error === 'function') return 'a function';
  if (typeof error !== 'object' || error === null) return String(error);
  return code ?? 'an object without a message';
}
