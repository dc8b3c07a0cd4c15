import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A program that serves, started by its command line. */
export interface Program {
  readonly pid: number;
  /** `http://127.0.0.1:4567` */
  readonly url: string;
  /** Returns the output so far. */
  output(): string;
  /** Returns the exit code, or the signal that ended the program; `undefined` while it is running. */
  exit(): number | string | undefined;
  /** Sends SIGTERM and waits for the exit. Idempotent. @throws Error if it had to be killed */
  stop(): Promise<void>;
}

/** A program did not start: has its output and exit. */
export class StartError extends Error {
  readonly said: string;
  readonly exit: number | string | undefined;

  constructor(command: string, { said, exit }: Pick<StartError, 'said' | 'exit'>) {
    super(`Cannot start ${command}: it must print its address, got ${said || 'no output'}`);
    this.said = said;
    this.exit = exit;
  }
}

/** All programs of a run; none outlives it. */
export interface Programs {
  /** Temporary folder, removed when the programs end. */
  readonly folder: string;
  /** Starts a program of this repository, and resolves when it prints `listening  <url>`, or its addresses as the demo does. @throws StartError otherwise */
  start(entry: URL, argv: readonly string[], options?: StartOptions): Promise<Program>;
  close(): Promise<void>;
}

export interface StartOptions {
  /** Added to the few variables that every program gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit for the start, in milliseconds. Default 60,000; filling a store takes long. */
  readonly startMs?: number;
}

const POLL_MS = 20;
const STOP_MS = 15_000;
// Others are left out: some would act as flags of the demo, such as PORT.
const KEPT_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

/**
 * Output goes to files, so that logging costs the programs what it costs in production, and this process nothing. All
 * programs end with this process, however it ends.
 */
export function createPrograms(): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'experiments-'));
  const started = new Map<ChildProcess, Program>();
  const killAll = (): void => {
    for (const child of started.keys()) child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', killAll);

  async function start(
    entry: URL,
    argv: readonly string[],
    { env = {}, startMs = 60_000 }: StartOptions = {},
  ): Promise<Program> {
    const file = join(folder, `${started.size}.log`);
    const log = openSync(file, 'w');
    const child = spawn(
      process.execPath,
      ['--conditions=@ticketing/source', fileURLToPath(entry), ...argv],
      { env: { ...keptVariables(), ...env }, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    const output = (): string => readFileSync(file, 'utf8');
    const command = [fileURLToPath(entry), ...argv].join(' ');
    const program = programOf(child, { command, output });
    started.set(child, program);
    const until = performance.now() + startMs;
    for (;;) {
      const [, url] = /^(?:listening|ticketing)\s+(\S+)/m.exec(output()) ?? [];
      if (url !== undefined) return { ...program, url: new URL(url).origin };
      if (program.exit() !== undefined || performance.now() > until) {
        const exit = program.exit();
        await program.stop();
        throw new StartError(command, { said: output().trim(), exit });
      }
      await sleep(POLL_MS);
    }
  }

  return {
    folder,
    start,
    async close() {
      const stopped = await Promise.allSettled([...started.values()].map(({ stop }) => stop()));
      process.removeListener('exit', killAll);
      rmSync(folder, { recursive: true, force: true });
      const failed = stopped.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
}

function programOf(
  child: ChildProcess,
  { command, output }: { readonly command: string; output(): string },
): Program {
  const exit = (): number | string | undefined => child.exitCode ?? child.signalCode ?? undefined;
  let stopping: Promise<void> | undefined;
  async function end(): Promise<void> {
    if (exit() !== undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
    if (child.signalCode === 'SIGKILL') {
      const said = output().trim().slice(-500);
      throw new Error(
        `Cannot stop ${command} (process ${child.pid}): it did not end within ${STOP_MS} ms; its output ends with: ${said}`,
      );
    }
  }
  return {
    pid: child.pid ?? 0,
    url: '',
    output,
    exit,
    stop: () => (stopping ??= end()),
  };
}

function keptVariables(): Record<string, string> {
  return Object.fromEntries(
    KEPT_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
