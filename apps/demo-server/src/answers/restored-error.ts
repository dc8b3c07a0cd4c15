import { BatchingError, type BatchingErrorCode, type BatchingErrorData } from '@ticketing/batching';
import { RailError, type RailErrorCode, type RailErrorData } from '@ticketing/core';
import { DispatchError, type DispatchErrorCode, type DispatchErrorData } from '@ticketing/dispatch';

/** An error as it comes from another process: its class is a name. */
type Crossed = Error & { readonly code: string; readonly data: object };

/** Classes by which this server distinguishes errors, by their names. */
const classes = new Map<string, (error: Crossed) => Error>([
  [
    'BatchingError',
    ({ code, message, data, cause }) =>
      new BatchingError(code as BatchingErrorCode, message, {
        data: data as BatchingErrorData,
        cause,
      }),
  ],
  [
    'RailError',
    ({ code, message, data }) =>
      new RailError(code as RailErrorCode, message, data as RailErrorData),
  ],
  [
    'DispatchError',
    ({ code, message, data, cause }) =>
      new DispatchError(code as DispatchErrorCode, message, {
        data: data as DispatchErrorData,
        cause,
      }),
  ],
]);

/** Returns an error of another process with the class that it had there: what is wrong with a question is no failure of the server. */
export function restoredError(error: unknown): unknown {
  const isKnown = BatchingError.is(error) || RailError.is(error) || DispatchError.is(error);
  if (!(error instanceof Error) || isKnown) return error;
  const { code, data } = error as Partial<Crossed>;
  const restore = classes.get(error.name);
  if (restore === undefined || typeof code !== 'string' || typeof data !== 'object') return error;
  const restored = restore(error as Crossed);
  const stack = { value: error.stack, writable: true, configurable: true };
  return Object.defineProperty(restored, 'stack', stack);
}

/** Rejects with the error of another process, restored. */
export function rejectRestored(error: unknown): never {
  throw restoredError(error);
}
