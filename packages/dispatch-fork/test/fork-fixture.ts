import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { createForkDispatcher, type ForkOptions } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';

export const module = new URL('fixtures/tasks.ts', import.meta.url);
export const execArgv = ['--conditions=@ticketing/source'];
export const open: { close(): Promise<void> }[] = [];

/** Creates a dispatcher of one worker, closed after the test. */
export function create(options: ForkOptions = {}) {
  const dispatcher = createForkDispatcher<Tasks>(module, { max: 1, execArgv, ...options });
  open.push(dispatcher);
  return dispatcher;
}

const programs: ChildProcess[] = [];

/** Ends the processes that tests of a file have started. */
export function endAfterEach(): void {
  afterEach(async () => {
    for (const child of programs.splice(0)) child.kill('SIGKILL');
    await Promise.all(open.splice(0).map((dispatcher) => dispatcher.close()));
  });
}

/** Starts a program, ended after the test. */
export function program(file: URL, detached = false) {
  const args = [...execArgv, fileURLToPath(file)];
  const child = spawn(process.execPath, args, { detached, stdio: ['ignore', 'pipe', 'inherit'] });
  programs.push(child);
  return child;
}
