import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mallocVariables } from '@ticketing/kit';
import type { ReadyProgram } from './programs/report-ready.ts';

/** A way to spread requests over processes. */
export interface ContenderKind {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Set for a program whose last argument is a folder for unix sockets. */
  readonly needsFolder?: true;
}

/** A contender that runs. */
export interface Contender extends ReadyProgram {
  readonly name: string;
  end(): Promise<void>;
}

const WORKERS = '4';

/** The others are compared with the first. */
export const KINDS: readonly ContenderKind[] = [
  { name: 'node:cluster, round robin', program: 'cluster', args: ['round-robin', WORKERS] },
  {
    // As `forkWorkers` starts its workers.
    name: '…, started with `MALLOC_…`',
    program: 'cluster',
    args: ['round-robin', WORKERS],
    env: mallocVariables({}),
  },
  { name: 'node:cluster, shared handle', program: 'cluster', args: ['shared', WORKERS] },
  { name: '**socket**', program: 'router', args: ['socket', WORKERS] },
  { name: '**socket**, unread', program: 'router', args: ['tcp', WORKERS] },
  { name: '**passthru**', program: 'router', args: ['passthru', WORKERS] },
  { name: 'httpxy', program: 'proxy', args: ['httpxy', WORKERS], needsFolder: true },
  { name: 'http-proxy-3', program: 'proxy', args: ['http-proxy-3', WORKERS], needsFolder: true },
  { name: '@socket.io/sticky', program: 'sticky', args: [WORKERS] },
  { name: 'nginx', program: 'nginx', args: [WORKERS], needsFolder: true },
];

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0;
}

export async function startContender(kind: ContenderKind): Promise<Contender> {
  const folder = kind.needsFolder ? mkdtempSync(join(tmpdir(), 'bench-')) : undefined;
  const module = new URL(`programs/${kind.program}-program.ts`, import.meta.url);
  const args = [...kind.args, ...(folder === undefined ? [] : [folder])];
  const child = fork(module, args, { env: { ...process.env, ...kind.env } });
  const program = (await firstMessage(child, kind.name)) as ReadyProgram;
  return {
    name: kind.name,
    ...program,
    end: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error if the process ends without a message */
async function firstMessage(child: ChildProcess, name: string): Promise<unknown> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`Cannot start ${name}: its program must report a port, got an exit`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
