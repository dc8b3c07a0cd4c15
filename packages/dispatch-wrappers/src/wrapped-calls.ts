import { DispatchError, type RunOptions, timeoutError } from '@ticketing/dispatch';
import type { Clock } from '@ticketing/kit';

/** Ways in which a call ends, as `stats()` counts them. */
export type Ending = 'completed' | 'failed' | 'aborted' | 'rejected';

/** Numbers of calls by the way in which they ended. */
export type Endings = Record<Ending, number>;

export function noEndings(): Endings {
  return { completed: 0, failed: 0, aborted: 0, rejected: 0 };
}

/** Returns how a call ended that rejected with this error, as its dispatcher of this name counts it. */
export function endingOf(error: unknown, name: string, signal: AbortSignal | undefined): Ending {
  if (signal?.aborted === true && error === signal.reason) return 'aborted';
  if (!DispatchError.is(error) || error.data.name !== name) return 'failed';
  const { code, data } = error;
  if (code === 'ERR_NOT_CLONEABLE' || code === 'ERR_TOO_LARGE') return 'failed';
  // The limit is that of `drain()`; without it the call was not taken.
  const isLate = code.endsWith('_TIMEOUT') || (code === 'ERR_DRAINING' && data.limit !== undefined);
  return isLate ? 'aborted' : 'rejected';
}

/**
 * Returns the options of a call that begins again `elapsedMs` after it was made: what is left of its limits.
 *
 * @throws DispatchError `ERR_TIMEOUT`, `ERR_QUEUE_TIMEOUT` if nothing is left
 */
export function withTimeLeft(
  options: RunOptions,
  elapsedMs: number,
  { name, task }: { readonly name: string; readonly task: string },
): RunOptions {
  const left: { -readonly [K in keyof RunOptions]: RunOptions[K] } = { ...options };
  for (const [option, code] of limits) {
    const limit = options[option];
    if (limit === undefined) continue;
    if (elapsedMs >= limit) throw timeoutError(code, name, { task, limit });
    // A timer takes 1 ms at least.
    left[option] = Math.max(1, limit - elapsedMs);
  }
  return left;
}

/**
 * Returns the error of a call that moved, and had what was left of its limits (`left`). If one has passed, the error has the limit that
 * the caller had set, and as its cause the reason why the call moved.
 *
 * @param moved.name - name of the dispatcher that ended the call
 */
export function asMoved(
  error: unknown,
  moved: {
    readonly name: string;
    readonly task: string;
    readonly options: RunOptions;
    readonly left: RunOptions;
    readonly cause: unknown;
  },
): unknown {
  const { name, task, options, left, cause } = moved;
  if (!DispatchError.is(error) || error.data.name !== name || error.data.task !== task)
    return error;
  for (const [option, code] of limits) {
    const limit = options[option];
    if (error.code !== code || limit === undefined || error.data.limit !== left[option]) continue;
    return timeoutError(code, name, { task, limit, cause });
  }
  return error;
}

const limits = [
  ['timeoutMs', 'ERR_TIMEOUT'],
  ['queueTimeoutMs', 'ERR_QUEUE_TIMEOUT'],
] as const;

/** True if options of a call can be read. Others go to the dispatcher, which refuses them. */
export function areOptions(options: unknown): options is RunOptions {
  return typeof options === 'object' && options !== null;
}

/** Returns a function that returns the milliseconds since this call. */
export function since(clock: Clock): () => number {
  const startedAt = clock.now();
  return () => clock.now() - startedAt;
}
