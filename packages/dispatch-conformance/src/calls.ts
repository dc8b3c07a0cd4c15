import assert from 'node:assert/strict';
import {
  DispatchError,
  type DispatchErrorCode,
  type Dispatcher,
  type InputOf,
  type OutputOf,
  type RunOptions,
} from '@ticketing/dispatch';
import type { ConformanceTasks } from './conformance-task-map.ts';

/** Returns the reason with which a promise rejects. @throws AssertionError if it resolves */
export async function rejected(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (reason) {
    return reason;
  }
  throw new assert.AssertionError({
    message: 'the call must reject, got an answer',
    actual: value,
  });
}

/** Returns the DispatchError that a promise rejects with. @throws AssertionError if the code differs */
export async function rejectedWith(
  code: DispatchErrorCode,
  promise: Promise<unknown>,
): Promise<DispatchError> {
  return coded(code, await rejected(promise));
}

/** Returns the error if it is a DispatchError with that code. @throws AssertionError otherwise */
export function coded(code: DispatchErrorCode, error: unknown): DispatchError {
  if (DispatchError.is(error) && error.code === code) return error;
  throw new assert.AssertionError({
    message: `the error must be a DispatchError with code ${code}, got ${describe(error)}`,
    actual: error,
  });
}

/** Counts the outcomes that were rejected with that code. @throws AssertionError if one has another code */
export function countRejected(
  code: DispatchErrorCode,
  outcomes: readonly PromiseSettledResult<unknown>[],
): number {
  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  for (const reason of reasons) coded(code, reason);
  return reasons.length;
}

/** Returns the messages of an error and its causes, outermost first. */
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

/** A call whose task has reported `started`. */
interface StartedRun<O> {
  readonly answer: Promise<O>;
}

/** Runs a task and resolves when it reports that it has started. @throws the reason of a call that rejects before */
export async function startRun<K extends 'hold' | 'ignoreAbort'>(
  dispatcher: Dispatcher<ConformanceTasks>,
  task: K,
  input: InputOf<ConformanceTasks, K>,
  options: Omit<RunOptions, 'onProgress'> = {},
): Promise<StartedRun<OutputOf<ConformanceTasks, K>>> {
  let onProgress = (): void => {};
  const started = new Promise<void>((resolve) => {
    onProgress = resolve;
  });
  const answer = dispatcher.run(task, input, { ...options, onProgress: () => onProgress() });
  // A case may await the answer later; until then a rejection must not be unhandled.
  answer.catch(() => {});
  await Promise.race([started, answer]);
  return { answer };
}
