import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { residentBytes } from '../../src/programs/resident-bytes.ts';
import type { Part } from '../setups.ts';

/** Process of a program, as `/proc` has it. */
export interface ProcessFacts {
  readonly pid: number;
  readonly part: Part | 'guard' | 'other';
}

const PARTS: readonly (readonly [pattern: RegExp, part: ProcessFacts['part']])[] = [
  [/dispatch-orphan-guard/, 'guard'],
  [/nats-server/, 'nats'],
  [/serving-worker/, 'server'],
  [/host-tasks/, 'host'],
  [/task-worker|dist\/tasks\.js/, 'task'],
  [/dist\/main\.js/, 'primary'],
];

/** Returns a process and its living descendants. */
export function processesUnder(pid: number): readonly ProcessFacts[] {
  const command = read(`/proc/${pid}/cmdline`);
  // A process that has ended and is not reaped has no command line.
  if (command === undefined || command === '') return [];
  const part = PARTS.find(([pattern]) => pattern.test(command))?.[1] ?? 'other';
  const children = list(`/proc/${pid}/task`).flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );
  return [{ pid, part }, ...children.flatMap(processesUnder)];
}

/** Returns the living processes whose environment has a text, wherever they are in the tree. */
export function processesWith(text: string): readonly number[] {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/environ`)?.includes(text));
}

/** Use of one process. */
export interface ProcessUse {
  readonly rssBytes: number;
  /** Threads, without the four for files that libuv starts when it first needs one. */
  readonly threads: number;
  /** Kinds of its descriptors: `socket`, `pipe`, `anon_inode:[eventfd]`, or a path. */
  readonly descriptors: readonly string[];
}

/** Returns the use of a process; undefined for one that has ended. */
export function useOf(pid: number): ProcessUse | undefined {
  const rssBytes = residentBytes(pid);
  if (rssBytes === undefined) return undefined;
  const descriptors = list(`/proc/${pid}/fd`).flatMap((fd) => kindOf(`/proc/${pid}/fd/${fd}`));
  return { rssBytes, threads: threadsOf(pid), descriptors };
}

function threadsOf(pid: number): number {
  return list(`/proc/${pid}/task`).filter(
    (thread) => read(`/proc/${pid}/task/${thread}/comm`)?.trim() !== 'libuv-worker',
  ).length;
}

/** Returns the milliseconds that the main thread of a process has waited for a core so far. */
export function waitedMs(pid: number): number | undefined {
  const [, waitedNs] = (read(`/proc/${pid}/schedstat`) ?? '').split(' ');
  return waitedNs === undefined ? undefined : Number(waitedNs) / 1e6;
}

function kindOf(path: string): string[] {
  try {
    return [readlinkSync(path).replace(/:\[\d+\]$/, '')];
  } catch {
    // It was closed meanwhile.
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
