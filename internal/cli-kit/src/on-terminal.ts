import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program on a pseudo-terminal. */
export interface OnTerminal {
  /** The process of `script`, which ends with the program. */
  readonly child: ChildProcess;
  /** Returns what the program has written, standard error included, with its escape sequences. */
  written(): string;
  /** Types a text; `\u0003` is Ctrl-C, which signals the program and its children. */
  type(text: string): void;
  /** Resolves with the program's exit code. */
  exit(): Promise<number | null>;
  /** Kills the program. Idempotent. */
  close(): Promise<void>;
}

export interface TerminalOptions {
  /** Default 80. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a program on a pseudo-terminal by `script`, of Debian's essential `bsdutils`. The caller must call `close()`.
 *
 * `command`: the program's path and its arguments.
 */
export function onTerminal(
  command: readonly string[],
  { columns = 80, env = {} }: TerminalOptions = {},
): OnTerminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const child = spawn(
    'script',
    ['-qefc', `stty cols ${columns} rows 40; exec ${quoted}`, '/dev/null'],
    { env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...env } },
  );
  let text = '';
  child.stdout?.on('data', (data) => {
    text += data;
  });
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return {
    child,
    written: () => text,
    type: (typed) => void child.stdin?.write(typed),
    exit: () => exit,
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exit;
    },
  };
}
