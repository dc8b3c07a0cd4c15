import { showValue } from '@ticketing/kit';
import type { WorkerEnd } from '../../contract/transport.ts';
import { DispatchError, type DispatchErrorCode, type DispatchErrorData } from '../../errors.ts';

/** What a call met instead of what it needed. */
export interface CallFailure {
  readonly name: string;
  readonly task?: string;
  readonly expected: string;
  readonly got: string;
  readonly data?: Partial<DispatchErrorData>;
  readonly cause?: unknown;
}

/** Makes the error of a call, or of a dispatcher's life if there is no task. */
export function callError(code: DispatchErrorCode, failure: CallFailure): DispatchError {
  const { name, task, expected, got, data } = failure;
  const what = task === undefined ? `use ${name}` : `run ${task}`;
  const options = { data: { name, ...(task === undefined ? {} : { task }), ...data } };
  return new DispatchError(
    code,
    `Cannot ${what}: ${expected} expected, got ${got}`,
    'cause' in failure ? { ...options, cause: failure.cause } : options,
  );
}

export function queueFull(name: string, task: string, limit: number): DispatchError {
  const expected = `at most ${limit} calls that wait`;
  return callError('ERR_QUEUE_FULL', { name, task, expected, got: 'one more', data: { limit } });
}

export function overloaded(given: {
  readonly name: string;
  readonly task: string;
  readonly option: string;
  readonly limit: number;
  readonly expectedWaitMs: number;
  readonly retryAfterMs: number;
}): DispatchError {
  const { option, ...data } = given;
  const { task, limit, expectedWaitMs, retryAfterMs } = data;
  return new DispatchError(
    'ERR_OVERLOADED',
    `Cannot run ${task}: it would wait for some ${expectedWaitMs} ms, too long for ${option} (${limit} ms); retry after ${retryAfterMs} ms or add workers (max)`,
    { data },
  );
}

export function timedOut(
  code: 'ERR_TIMEOUT' | 'ERR_QUEUE_TIMEOUT' | 'ERR_RUN_TIMEOUT',
  call: { readonly name: string; readonly task: string; readonly limit: number },
): DispatchError {
  const { name, task, limit } = call;
  const event = code === 'ERR_QUEUE_TIMEOUT' ? 'a start' : 'an answer';
  const from = code === 'ERR_RUN_TIMEOUT' ? ' of its start' : '';
  const expected = `${event} within ${limit} ms${from}`;
  return callError(code, { name, task, expected, got: 'none', data: { limit } });
}

export function closed(name: string, task?: string): DispatchError {
  const failure = { name, expected: 'an open dispatcher', got: 'a closed one' };
  return callError('ERR_CLOSED', task === undefined ? failure : { ...failure, task });
}

export function draining(name: string, task: string): DispatchError {
  const expected = 'a dispatcher that takes tasks';
  return callError('ERR_DRAINING', { name, task, expected, got: 'one that drains' });
}

export function circuitOpen(name: string, cause: unknown, task?: string): DispatchError {
  const expected = 'workers that start and stay';
  const failure = { name, expected, got: 'too many that failed', cause };
  return callError('ERR_CIRCUIT_OPEN', task === undefined ? failure : { ...failure, task });
}

export function unknownTask(name: string, task: string, known: Iterable<string>): DispatchError {
  const expected = `a task of the module (${[...known].join(', ')})`;
  return callError('ERR_UNKNOWN_TASK', { name, task, expected, got: task });
}

export function notCloneable(name: string, task: string, cause: unknown): DispatchError {
  const got = cause instanceof Error ? cause.message : showValue(cause);
  const expected = 'an input that can be cloned';
  return callError('ERR_NOT_CLONEABLE', { name, task, expected, got, cause });
}

/** Makes the error of a call whose worker ended, or of a start that ended without a word. */
export function workerLost(
  name: string,
  worker: { readonly pid: number | undefined; readonly end: WorkerEnd },
  task?: string,
): DispatchError {
  const { pid, end } = worker;
  const failure = {
    name,
    expected: 'a worker that answers',
    got: `one that ended${howItEnded(end)}`,
    data: { pid, exitCode: end.exitCode, signal: end.signal, stderrTail: end.stderrTail },
    ...(end.cause === undefined ? {} : { cause: end.cause }),
  };
  return callError('ERR_WORKER_LOST', task === undefined ? failure : { ...failure, task });
}

function howItEnded({ exitCode, signal }: WorkerEnd): string {
  if (signal !== undefined) return ` by ${signal}`;
  return exitCode === undefined ? '' : ` with exit code ${exitCode}`;
}

/**
 * Rejects with the error, after the names of the functions that wait for it have been added to its stack: the worker's
 * frames tell what failed, these tell who asked.
 *
 * V8 knows who awaits a promise only while one of the jobs that lead there runs, so this function is one of them: the call is
 * resolved with its promise, which takes two jobs to be seen. Only failures pay for it.
 */
export async function withCallers(error: Error): Promise<never> {
  await undefined;
  await undefined;
  try {
    const here = new Error('callers').stack ?? '';
    const callers = here.split('\n').filter((line) => /^\s+at async /.test(line));
    if (callers.length > 0) error.stack = [error.stack, ...callers].join('\n');
  } catch {
    // A frozen error, or a stack of a strange kind: it stays as it is.
  }
  throw error;
}
