import { BatchingError, callError } from '../../errors.ts';
import { roleOf } from './request-role.ts';
import { type HttpResponse, hasLeft, whenLeft } from './when-left.ts';

const signals = new WeakMap<HttpResponse, AbortSignal>();

/**
 * Returns a signal that aborts when the client has left before the response was ended, at once if it has left. Calls with one
 * response return one signal. Leaves no listener behind, and does not abort once the response has ended.
 *
 * Inside a route that `coalesceRoute` shares, it is the signal of all clients that wait, and aborts when the last of them has left.
 * The reason is a `BatchingError` with the code `ERR_ABORTED`, and `answerErrors` answers nothing to it.
 *
 * @example
 * createServer(async (request, response) => {
 *   const report = await fetch(upstream, { signal: leavingSignal(response) });
 *   response.end(await report.text());
 * });
 */
export function leavingSignal(response: HttpResponse): AbortSignal {
  const role = roleOf(response);
  if (role !== undefined) return role.view.signal;
  const known = signals.get(response);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(response, controller.signal);
  whenLeft(response, () => {
    controller.abort(
      callError('response', 'ERR_ABORTED', 'Response was aborted: the client left before its end'),
    );
  });
  return controller.signal;
}

/** Returns whether an error only shows that the client has left: a handler gave up for that, by the reason of a signal or by an `AbortError`. */
export function endedByLeaving(error: unknown, response: HttpResponse): boolean {
  return hasLeft(response) && isAbort(error);
}

/** Returns whether an error, or a cause of it, is the reason of an aborted signal or an `AbortError`. */
export function isAbort(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < 10 && cause instanceof Error; depth++) {
    if (cause.name === 'AbortError') return true;
    if (BatchingError.is(cause) && cause.code === 'ERR_ABORTED') return true;
    ({ cause } = cause);
  }
  return false;
}
