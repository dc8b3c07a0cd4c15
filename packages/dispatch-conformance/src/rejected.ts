import assert from 'node:assert/strict';
import { DispatchError, type DispatchErrorCode } from '@ticketing/dispatch';

/** Gives what a promise rejects with. @throws AssertionError if it resolves */
export async function rejected(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (reason) {
    return reason;
  }
  throw new assert.AssertionError({
    message: 'a rejection expected, got an answer',
    actual: value,
  });
}

/** Gives the error of a dispatcher with which a promise rejects. @throws AssertionError if it is another */
export async function rejectedWith(
  code: DispatchErrorCode,
  promise: Promise<unknown>,
): Promise<DispatchError> {
  return coded(code, await rejected(promise));
}

/** @throws AssertionError unless it is the error of a dispatcher with that code */
export function coded(code: DispatchErrorCode, error: unknown): DispatchError {
  if (DispatchError.is(error) && error.code === code) return error;
  throw new assert.AssertionError({
    message: `a DispatchError with code ${code} expected, got ${describe(error)}`,
    actual: error,
  });
}

/** How many of the outcomes were rejected with that code. @throws AssertionError if one was rejected with another */
export function countRejected(
  code: DispatchErrorCode,
  outcomes: readonly PromiseSettledResult<unknown>[],
): number {
  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  for (const reason of reasons) coded(code, reason);
  return reasons.length;
}

/** The messages of an error and its causes, outermost first. */
export function messages(error: unknown): readonly string[] {
  const found: string[] = [];
  for (let at = error; at instanceof Error && found.length < 20; at = at.cause) {
    found.push(at.message);
  }
  return found;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.stack}` : String(error);
}
