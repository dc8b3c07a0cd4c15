import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@ticketing/test-kit';
import { onTestFinished } from 'vitest';
import { freePort } from './readme-program.ts';

export const cli: string = fileURLToPath(new URL('../src/program/cli.ts', import.meta.url));
export const programOf = (name: string): string =>
  fileURLToPath(new URL(`fixtures/programs/${name}`, import.meta.url));

interface Command {
  readonly child: ChildProcess;
  /** Process group, as of a terminal. */
  readonly group: number;
  /** Everything that was printed so far. */
  text(): string;
  /** Resolves when this was printed. */
  printed(text: string): Promise<void>;
  /** Resolves with its exit code once all that it printed is read. */
  ended(): Promise<number | null>;
}

/** Runs the command as the leader of a process group. */
export function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Command {
  const child = spawn(process.execPath, ['--conditions=@ticketing/source', cli, ...args], {
    detached: true,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = -(child.pid as number);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(group, 'SIGKILL');
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk;
    });
  }
  const closed = once(child, 'close');
  return {
    child,
    group,
    text: () => text,
    printed: (wanted) => until(() => text.includes(wanted)),
    ended: async () => (await closed)[0],
  };
}

interface Answer {
  readonly pid: number;
  readonly args?: readonly string[];
  readonly slot?: number;
}

/** Asks over a connection of its own. */
export function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(JSON.parse(text));
      })
      .once('error', reject);
  });
}

/** The plain program, and its addresses. */
interface PlainProgram extends Command {
  readonly url: string;
  readonly port: number;
  /** Asks the further server of a worker. */
  askAdmin(slot: number): Promise<Answer>;
}

/** Runs the plain program in two workers, and resolves when they serve. */
export async function runPlain(): Promise<PlainProgram> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'ticketing-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const admin = join(folder, 'admin');
  const command = run(
    [programOf('plain.cjs'), '--workers', '2', '--port', String(port), '--', '--own', 'x'],
    { ADMIN: admin },
  );
  await command.printed('with 2 workers');
  const askAdmin = (slot: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      http
        .get({ socketPath: `${admin}-${slot}`, agent: false }, async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve({ pid: Number(text) });
        })
        .once('error', reject);
    });
  return { ...command, url: `http://localhost:${port}`, port, askAdmin };
}
