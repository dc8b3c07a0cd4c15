import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { execArgv } from './worker-processes.ts';

/** Report of `router-program.mjs` and of `cluster-program.mjs`. */
export interface ProgramReport {
  readonly port: number;
  readonly pids: number[];
  readonly workers: { readonly slot: string; readonly pid: number; readonly state: string }[];
  readonly left: number;
}

export async function nextReport(program: ChildProcess): Promise<ProgramReport> {
  const [message] = await once(program, 'message');
  return message as ProgramReport;
}

/** Starts a program with a router of its own, with variables added to its environment; it is killed at the end of the test. */
export function startProgram(
  name: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const program = fork(new URL(name, import.meta.url), args, {
    execArgv: [...execArgv],
    env: { ...process.env, ...variables },
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  return program;
}
