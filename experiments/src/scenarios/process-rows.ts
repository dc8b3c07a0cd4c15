import { readFileSync } from 'node:fs';
import type { Dispatcher } from 'undici';

/** How the processes of a server did in one second. */
export interface ProcessRow {
  /** Bytes of memory, by `role pid`. */
  readonly memory: Readonly<Record<string, number>>;
  /** The latest event loop of a serving process: the largest p99, in milliseconds. `NaN`: not told in time. */
  readonly loopP99Ms: number;
}

interface Config {
  readonly processes: readonly { readonly pid: number; readonly role: string }[];
}
interface Stats {
  readonly processes: readonly {
    readonly role: string;
    readonly process?: { readonly eventLoop: { readonly p99Ms: number } };
  }[];
}

const ANSWER_MS = 900;

/** Looks at the processes of a server, those that it names; memory is the kernel's word, or where there is none, none. */
export async function lookAtProcesses(connection: Dispatcher): Promise<ProcessRow> {
  const [config, stats] = await Promise.all([
    getJson<Config>(connection, '/config'),
    getJson<Stats>(connection, '/stats'),
  ]);
  const memory = (config?.processes ?? []).flatMap(({ pid, role }) => {
    const bytes = residentBytes(pid);
    return bytes === undefined ? [] : [[`${role} ${pid}`, bytes] as const];
  });
  const late = (stats?.processes ?? []).flatMap(({ process }) =>
    process === undefined ? [] : [process.eventLoop.p99Ms],
  );
  return {
    memory: Object.fromEntries(memory),
    loopP99Ms: late.length === 0 ? Number.NaN : Math.max(...late),
  };
}

async function getJson<T>(connection: Dispatcher, path: string): Promise<T | undefined> {
  try {
    const { body } = await connection.request({
      path,
      method: 'GET',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return (await body.json()) as T;
  } catch {
    // A server that is too busy to say so is what the other columns show.
    return undefined;
  }
}

function residentBytes(pid: number): number | undefined {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
