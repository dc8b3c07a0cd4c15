import { STATUS_CODES } from 'node:http';
import { BatchingError } from '../../errors.ts';
import { endedByLeaving } from './leaving-signal.ts';
import { roleOf } from './request-role.ts';
import { unshared } from './shared-answer.ts';
import type { HttpRequest, HttpResponse } from './when-left.ts';

/** Headers of a 503: the seconds that a client should wait. */
const RETRY_HEADERS = { 'retry-after': '1' };

/** Answer to a request whose call was ended: a problem document of RFC 9457. */
export interface ErrorAnswer {
  readonly status: 503 | 504;
  /** `content-type`, `cache-control`, and with 503 `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON with `type`, `title`, `status`, `code` and `detail`. */
  readonly body: string;
}

/**
 * Returns the answer to a `BatchingError` of status 503 or 504, also of another copy of this package. `undefined` for any other
 * error, one of status 500 included: it shows a fault of the program, which the framework logs.
 */
export function errorAnswer(error: unknown): ErrorAnswer | undefined {
  if (!BatchingError.is(error)) return undefined;
  const { statusCode: status, code, message: detail } = error;
  if (status === 500) return undefined;
  return {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 503 && RETRY_HEADERS),
    },
    body: JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      code,
      detail,
    }),
  };
}

/**
 * Makes a new error of a failure of the coalescer, which frameworks answer by its `statusCode` and `headers`: several requests may
 * have met the same one. With 503 the client is asked to wait.
 */
export function refusedCall(error: unknown): unknown {
  if (!BatchingError.is(error)) return error;
  const { code, message, data, statusCode } = error;
  const refused = new BatchingError(code, message, { data, cause: error });
  return statusCode === 503 ? Object.assign(refused, { headers: RETRY_HEADERS }) : refused;
}

/**
 * Error-handling middleware of Express and Connect, to be used after the routes: answers a `BatchingError` of status 503 or 504, and
 * answers nothing to a client that has left. `next` gets every other error.
 *
 * @example
 * app.use(answerErrors);
 */
export function answerErrors(
  error: unknown,
  _request: HttpRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
): void {
  if (endedByLeaving(error, response)) {
    // The handler gave up for the client of its own request; other clients may wait for its answer.
    roleOf(response)?.settle?.(unshared);
    return;
  }
  const answer = errorAnswer(error);
  if (answer === undefined || response.headersSent) {
    next(error);
    return;
  }
  sendErrorAnswer(response, answer);
}

/** Sends an answer over `node:http`. */
export function sendErrorAnswer(
  response: HttpResponse,
  { status, headers, body }: ErrorAnswer,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
