import type { WorkerEnd } from '../contract/transport.ts';
import type { DispatchError } from '../errors.ts';
import { callError } from './call-errors.ts';

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
