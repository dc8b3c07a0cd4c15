import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const programs = {
  'dispatch-cluster': new URL('primary-dispatch-cluster.mjs', import.meta.url),
  'node-cluster': new URL('primary-node-cluster.mjs', import.meta.url),
  throng: new URL('primary-throng.mjs', import.meta.url),
  pm2: new URL('primary-pm2.mjs', import.meta.url),
} as const;
export type Kind = keyof typeof programs;
export const kinds = Object.keys(programs) as readonly Kind[];

/** A primary and its workers, in processes of their own. */
export interface Contender {
  readonly kind: Kind;
  readonly url: string;
  close(): Promise<void>;
}

export interface Setting {
  readonly workers: number;
  readonly logs: boolean;
}

const READY_MS = 30_000;

/** Starts a contender. Resolves when each of its workers has given the expected answer. */
export async function startContender(kind: Kind, { workers, logs }: Setting): Promise<Contender> {
  const home = mkdtempSync(join(tmpdir(), 'cluster-bench-'));
  const port = await freePort();
  const file = fileURLToPath(programs[kind]);
  const primary = spawn(process.execPath, [...process.execArgv, file, String(workers)], {
    env: {
      ...process.env,
      PORT: String(port),
      LOG_REQUESTS: logs ? '1' : '0',
      // Folder of pm2's files; it does not ask for its latest version.
      PM2_HOME: home,
      PM2_DISABLE_VERSION_CHECK: '1',
      PM2_DISCRETE_MODE: '1',
    },
    // Logs cost as much as a file, and are not kept.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}/compute`;
  const close = async (): Promise<void> => {
    await end(primary);
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await answers(url, workers);
  } catch (error) {
    await close();
    throw new Error(`Cannot measure ${kind}: not all ${workers} workers answer`, {
      cause: error,
    });
  }
  return { kind, url, close };
}

/** Proves that this many workers answer with the result of the task. */
async function answers(url: string, workers: number): Promise<void> {
  const pids = new Set<number>();
  const late = performance.now() + READY_MS;
  for (let misses = 0; pids.size < workers; ) {
    try {
      const response = await fetch(url, { headers: { connection: 'close' } });
      const { pid, number } = (await response.json()) as { pid: number; number: number };
      if (!Number.isFinite(number)) throw new TypeError(`The answer has no number, got ${number}`);
      pids.add(pid);
    } catch (error) {
      misses += 1;
      if (performance.now() > late || misses > 500) throw error;
      await setTimeout(50);
    }
    if (performance.now() > late) throw new Error(`${pids.size} answered`);
  }
}

async function end(primary: ChildProcess): Promise<void> {
  if (primary.exitCode !== null || primary.signalCode !== null) return;
  const exited = once(primary, 'exit');
  primary.kill('SIGTERM');
  const timer = globalThis.setTimeout(() => primary.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
