import type { ChildProcess } from 'node:child_process';

/** Milliseconds that a worker which is replaced has for what it is answering. */
const REPLACED_GRACE_MS = 10_000;

/** Ends a process that may be stopped or deaf: by a signal, if one is given, and by SIGKILL when it lives on. */
export function endProcess(child: ChildProcess, signal?: 'SIGTERM'): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), REPLACED_GRACE_MS);
  timer.unref();
  child.once('exit', () => clearTimeout(timer));
  if (signal !== undefined) child.kill(signal);
}
