import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Program of a world, started by its command line. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Everything that it has written, the last 100,000 characters. */
  output(): string;
  /** Exit code, or the signal that ended it; undefined while it runs. */
  exit(): number | string | undefined;
  /** Resolves with `exit()` once it has ended. */
  ended(): Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

const MOST_OUTPUT = 100_000;
const START_MS = 60_000;
const POLL_MS = 20;

/** Starts a program and resolves when its output matches. @throws Error with the output otherwise */
export async function startChild(
  name: string,
  [command = '', ...args]: readonly string[],
  { env, ready }: { readonly env: NodeJS.ProcessEnv; readonly ready: RegExp },
): Promise<Child> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-MOST_OUTPUT);
    });
  }
  const exit = (): number | string | undefined => child.exitCode ?? child.signalCode ?? undefined;
  const ended = once(child, 'exit').then(() => exit() ?? 'unknown');
  const until = performance.now() + START_MS;
  while (!ready.test(output)) {
    if (exit() !== undefined || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`Cannot start ${name}: it must print ${ready}, got ${output || 'no output'}`);
    }
    await sleep(POLL_MS);
  }
  return {
    ...{ name, pid: child.pid ?? 0, output: () => output, exit, ended: () => ended },
    kill: (signal) => killOf(child, signal),
  };
}

function killOf(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
}
