import type { Dispatcher } from 'undici';
import { residentBytes } from '../programs/resident-bytes.ts';

/** The processes of a server in one second. */
export interface ProcessRow {
  /** Bytes of memory, by `role pid`. */
  readonly memory: Readonly<Record<string, number>>;
  /** The largest p99 of event-loop delay of a server process, in milliseconds. `NaN`: not answered in time. */
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

/** Reads the state of the processes that a server names. Memory comes from `/proc`; without it there is none. */
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
    // The server is too busy to answer; the other columns show that.
    return undefined;
  }
}
