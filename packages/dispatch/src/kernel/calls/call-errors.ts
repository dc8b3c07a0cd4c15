import { showValue } from '@ticketing/kit';
import type { WorkerEnd } from '../../contract/transport.ts';
import { DispatchError, type DispatchErrorCode, type DispatchErrorData } from '../../errors.ts';

/** Makes the error of a call, or of the dispatcher itself if `task` is undefined. */
export function callError(
  code: DispatchErrorCode,
  { name, task }: { readonly name: string; readonly task?: string | undefined },
  why: string,
  { data, ...cause }: { readonly data?: Partial<DispatchErrorData>; readonly cause?: unknown } = {},
): DispatchError {
  const what = task === undefined ? `use ${name}` : `run ${task}`;
  return new DispatchError(code, `Cannot ${what}: ${why}`, {
    data: { name, ...(task !== undefined && { task }), ...data },
    ...cause,
  });
}

export function queueFull(name: string, task: string, limit: number): DispatchError {
  const why = `the queue is full (maxQueue ${limit}); wait for capacity() or raise maxQueue`;
  return callError('ERR_QUEUE_FULL', { name, task }, why, { data: { limit } });
}

export function noOtherWorker(name: string, task: string, apartFrom: number): DispatchError {
  const why = `no worker but ${apartFrom} (apartFrom) has room, and it may not wait`;
  return callError('ERR_QUEUE_FULL', { name, task }, why);
}

export function overloaded(
  option: string,
  data: Required<
    Pick<DispatchErrorData, 'name' | 'task' | 'limit' | 'expectedWaitMs' | 'retryAfterMs'>
  >,
): DispatchError {
  const { limit, expectedWaitMs, retryAfterMs } = data;
  const why = `it would wait for some ${expectedWaitMs} ms, too long for ${option} (${limit} ms); retry after ${retryAfterMs} ms or add workers (max)`;
  return callError('ERR_OVERLOADED', data, why, { data });
}

export type TimeoutCode = 'ERR_TIMEOUT' | 'ERR_QUEUE_TIMEOUT' | 'ERR_RUN_TIMEOUT';

const timeouts: Readonly<Record<TimeoutCode, string>> = {
  ERR_TIMEOUT: 'it did not finish within timeoutMs',
  ERR_QUEUE_TIMEOUT: 'it did not start within queueTimeoutMs',
  ERR_RUN_TIMEOUT: 'it did not finish within runTimeoutMs of its start',
};

export function timedOut(
  code: TimeoutCode,
  name: string,
  { task, limit }: { readonly task: string; readonly limit: number },
): DispatchError {
  return callError(code, { name, task }, `${timeouts[code]} (${limit} ms)`, { data: { limit } });
}

export function closed(name: string, task?: string): DispatchError {
  return callError('ERR_CLOSED', { name, task }, 'the dispatcher is closed');
}

export function draining(name: string, task: string): DispatchError {
  return callError('ERR_DRAINING', { name, task }, 'the dispatcher is draining');
}

export function circuitOpen(name: string, cause: unknown, task?: string): DispatchError {
  const why = 'too many workers failed to start or to stay; the cause says why';
  return callError('ERR_CIRCUIT_OPEN', { name, task }, why, { cause });
}

export function unknownTask(name: string, task: string, known: Iterable<string>): DispatchError {
  const why = `\`task\` must be one of ${[...known].join(', ')}, got ${task}`;
  return callError('ERR_UNKNOWN_TASK', { name, task }, why);
}

export function notCloneable(name: string, task: string, cause: unknown): DispatchError {
  const reason = cause instanceof Error ? cause.message : showValue(cause);
  const why = `the input cannot be cloned: ${reason}`;
  return callError('ERR_NOT_CLONEABLE', { name, task }, why, { cause });
}

/** Makes the error of a call whose worker ended, or of a worker that ended without reporting why it could not start. */
export function workerLost(
  name: string,
  { pid, end }: { readonly pid: number | undefined; readonly end: WorkerEnd },
  task?: string,
): DispatchError {
  const { exitCode, signal, stderrTail, cause } = end;
  let how = exitCode === undefined ? '' : ` with exit code ${exitCode}`;
  if (signal !== undefined) how = ` by ${signal}`;
  return callError('ERR_WORKER_LOST', { name, task }, `its worker ended${how}`, {
    data: { pid, exitCode, signal, stderrTail },
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Rejects with the error, after the names of the functions that await it are added to its stack: the worker's frames
 * show what failed, these show who called.
 *
 * V8 knows who awaits a promise only while one of the microtasks that lead there runs, so this function is one of them: the
 * call is resolved with its promise, which takes two microtasks. Only failures pay for it.
 */
export async function withCallers(error: Error): Promise<never> {
  await undefined;
  await undefined;
  try {
    const here = new Error('callers').stack ?? '';
    const callers = here.split('\n').filter((line) => /^\s+at async /.test(line));
    if (callers.length > 0) error.stack = [error.stack, ...callers].join('\n');
  } catch {
    // A frozen error stays as it is.
  }
  throw error;
}
