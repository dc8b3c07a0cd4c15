import type { WorkerEnd } from '../contract/transport.ts';
import { firstLineOf, inOneLine, saysNotCloneable, saysUnknown, whyEnded } from '../error-texts.ts';
import { DispatchError, type DispatchErrorCode, type DispatchErrorData } from '../errors.ts';

/** The call or the dispatcher that an error is about. */
interface Subject {
  readonly name: string;
  readonly task?: string | undefined;
}

/** Makes the error of a call, or of the dispatcher itself if `task` is undefined. */
function callError(
  code: DispatchErrorCode,
  { name, task }: Subject,
  message: string,
  { data, ...cause }: { readonly data?: Partial<DispatchErrorData>; readonly cause?: unknown } = {},
): DispatchError {
  return new DispatchError(code, message, {
    data: { name, ...(task !== undefined && { task }), ...data },
    ...cause,
  });
}

export function queueFull(name: string, task: string, limit: number): DispatchError {
  const message = `Queue is full: \`maxQueue\` (${limit}) calls wait`;
  return callError('ERR_QUEUE_FULL', { name, task }, message, { data: { limit } });
}

export function noOtherWorker(name: string, task: string, apartFrom: number): DispatchError {
  const message = `Task \`${task}\` cannot wait with \`apartFrom\` (${apartFrom}): no other worker has room`;
  return callError('ERR_QUEUE_FULL', { name, task }, message);
}

/** The error of a call that one worker alone may run, which has ended or has no room. */
export function noSuchWorker(name: string, task: string, workerId: number): DispatchError {
  const message = `Task \`${task}\` was not begun: worker ${workerId} of its broadcast has ended, or has no room`;
  return callError('ERR_WORKER_LOST', { name, task }, message);
}

export function overloaded(
  option: string,
  data: Required<
    Pick<DispatchErrorData, 'name' | 'task' | 'limit' | 'expectedWaitMs' | 'retryAfterMs'>
  >,
): DispatchError {
  const { task, limit, expectedWaitMs, retryAfterMs } = data;
  const message = `Task \`${task}\` would wait some ${expectedWaitMs} ms, too long for \`${option}\` (${limit} ms): retry after ${retryAfterMs} ms, or raise \`max\``;
  return callError('ERR_OVERLOADED', data, message, { data });
}

const timeouts = {
  ERR_TIMEOUT: ['finish', 'timeoutMs'],
  ERR_QUEUE_TIMEOUT: ['start', 'queueTimeoutMs'],
  ERR_RUN_TIMEOUT: ['finish', 'runTimeoutMs'],
} as const;

export type TimeoutCode = keyof typeof timeouts;

/** Returns the error of a call whose limit has passed: `ERR_TIMEOUT`, `ERR_QUEUE_TIMEOUT`, `ERR_RUN_TIMEOUT`. */
export function timedOut(
  code: TimeoutCode,
  name: string,
  {
    task,
    limit,
    cause,
  }: { readonly task: string; readonly limit: number; readonly cause?: unknown },
): DispatchError {
  const [what, option] = timeouts[code];
  const message = `Task \`${task}\` did not ${what} within \`${option}\` (${limit} ms)`;
  return callError(code, { name, task }, message, {
    data: { limit },
    ...(cause !== undefined && { cause }),
  });
}

/** Returns the error of a closed dispatcher, or of a call to it: `ERR_CLOSED`. */
export function closed(name: string, task?: string): DispatchError {
  const message =
    task === undefined
      ? `Dispatcher \`${name}\` is closed`
      : `Cannot run \`${task}\`: dispatcher \`${name}\` is closed`;
  return callError('ERR_CLOSED', { name, task }, message);
}

export function draining(name: string, task: string): DispatchError {
  const message = `Cannot run \`${task}\`: dispatcher \`${name}\` is draining`;
  return callError('ERR_DRAINING', { name, task }, message);
}

export function drainedTooLong(name: string, task: string, limit: number): DispatchError {
  const message = `Task \`${task}\` did not finish within \`timeoutMs\` of drain() (${limit} ms)`;
  return callError('ERR_DRAINING', { name, task }, message, { data: { limit } });
}

/** The reason that a task sees whose consumer has left the stream. */
export function left(name: string, task: string): DispatchError {
  return callError('ERR_CLOSED', { name, task }, `The consumer left the stream of \`${task}\``);
}

/** The error of `stream` for workers that cannot. */
export function noStreams(kind: string, task: string): TypeError {
  return new TypeError(
    `Cannot stream task \`${task}\`: dispatchers of kind \`${kind}\` have no streams (\`capabilities.streams\`)`,
  );
}

export function startedTooLate(name: string, limit: number, hint?: string): DispatchError {
  const late = `Worker did not start within \`startTimeoutMs\` (${limit} ms)`;
  const message = hint === undefined ? late : `${late}; ${hint}`;
  return callError('ERR_START_TIMEOUT', { name }, message, { data: { limit } });
}

export function circuitOpen(name: string, cause: unknown, task?: string): DispatchError {
  const isLoss = DispatchError.is(cause) && cause.code === 'ERR_WORKER_LOST';
  const message = `Workers keep failing${isLoss ? '' : ' to start'}: ${firstLineOf(cause)}`;
  return callError('ERR_CIRCUIT_OPEN', { name, task }, message, { cause });
}

export function unknownTask(name: string, task: string, known: Iterable<string>): DispatchError {
  return callError('ERR_UNKNOWN_TASK', { name, task }, saysUnknown(task, [...known]));
}

export function notCloneable(name: string, task: string, cause: unknown): DispatchError {
  const message = saysNotCloneable('the input', task, { value: cause, cause });
  return callError('ERR_NOT_CLONEABLE', { name, task }, message, { cause });
}

/** Tells why a worker could not be spawned. What cannot be cloned now cannot be later. */
export function spawnFailed(
  name: string,
  slot: number,
  cause: unknown,
): { readonly error: unknown; readonly final: boolean } {
  if (!(cause instanceof DOMException) || cause.name !== 'DataCloneError') {
    return { error: cause, final: false };
  }
  const message = `Cannot send \`workerData\` to the worker of slot ${slot}: ${inOneLine(cause.message)}`;
  return { error: callError('ERR_NOT_CLONEABLE', { name }, message, { cause }), final: true };
}

/**
 * Makes the error of a call whose worker ended, or, without a task, of a worker that ended before something, with the line
 * that has the reason.
 */
export function workerLost(
  name: string,
  {
    pid,
    end,
    before = 'it had answered a call',
  }: {
    readonly pid: number | undefined;
    readonly end: WorkerEnd;
    readonly before?: string | undefined;
  },
  task?: string,
): DispatchError {
  const { exitCode, signal, stderrTail, cause } = end;
  let how = exitCode === undefined ? 'ended' : `ended with exit code ${exitCode}`;
  if (signal !== undefined) how = `was ended by ${signal}`;
  // A thread, and a process that was not started, have their reason in the cause alone.
  const thrown = cause instanceof Error ? firstLineOf(cause) : undefined;
  const why = task === undefined ? (whyEnded(stderrTail) ?? thrown) : undefined;
  const message =
    task === undefined
      ? `Worker ${how} before ${before}${why === undefined ? '' : `: ${why}`}`
      : `Task \`${task}\` lost its worker, which ${how}`;
  return callError('ERR_WORKER_LOST', { name, task }, message, {
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
