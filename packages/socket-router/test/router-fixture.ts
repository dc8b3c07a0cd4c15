import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lives } from '@ticketing/test-kit';
import { onTestFinished } from 'vitest';
import { createSocketRouter, type RouterOptions, type SocketRouter } from '../src/index.ts';
import { lentWorkers } from './lent-workers.ts';
import { socketFolders } from './socket-folders.ts';
import { forked } from './worker-processes.ts';

export interface OpenRouter {
  readonly router: SocketRouter;
  readonly port: number;
  /** The workers' pids in the order of their slots, when all are ready. */
  pids(): number[];
}

export interface OpenOptions extends Partial<RouterOptions> {
  readonly worker?: string;
  readonly count?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Workers that start and end with the router: for tests that end workers, or wait for their end. */
  readonly own?: boolean;
}

/**
 * Opens a router with ready workers, and closes it at the end of the test, which fails if a process or a unix socket is
 * left.
 */
export async function openRouter(options: OpenOptions = {}): Promise<OpenRouter> {
  const { worker = 'http-worker', count = 2, env = {}, own = false, limits, ...rest } = options;
  const router = createSocketRouter({
    workers: (own ? forked : lentWorkers)(worker, count, env),
    // A machine that is busy with other tests may let a queue wait for longer than the default.
    limits: { maxWaitMs: 60_000, ...limits },
    // Required where the router reads requests, and chooses by them.
    ...(rest.route && rest.mode !== 'passthru' && { laterRequests: 'connection' }),
    ...rest,
  });
  const seen = new Set<number>();
  const ready = readyWorkers(router, count, seen);
  onTestFinished(async () => {
    await router.close({ graceMs: 500, lameDuckMs: 0 });
    const left = own ? [...seen].filter(lives) : [];
    if (left.length > 0) throw new Error(`Processes ${left} live after close()`);
    const folders = socketFolders();
    if (folders.length > 0) throw new Error(`Folders ${folders} are left after close()`);
  });
  await ready;
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  const pids = (): number[] => {
    const workers = [...router.stats().workers];
    workers.sort((one, other) => one.slot.localeCompare(other.slot));
    return workers.map(({ pid }) => pid ?? Number.NaN);
  };
  return { router, port, pids };
}

function readyWorkers(router: SocketRouter, count: number, seen: Set<number>): Promise<void> {
  let ready = 0;
  return new Promise((resolve) => {
    router.on('worker-ready', ({ pid }) => {
      if (pid !== undefined) seen.add(pid);
      ready += 1;
      if (ready === count) resolve();
    });
  });
}

/** Resolves with the data of the next event of a name. */
export function nextEvent<E extends Parameters<SocketRouter['on']>[0]>(
  router: SocketRouter,
  event: E,
): Promise<unknown> {
  return new Promise((resolve) => {
    const listener = (data: unknown): void => {
      router.off(event, listener);
      resolve(data);
    };
    router.on(event, listener);
  });
}

/** Opens a file to which workers write each request: one line with process and path. */
export function openJournal(): { path: string; requests(): { pid: number; url: string }[] } {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'requests');
  return {
    path,
    requests: () =>
      (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [])
        .filter((line) => line !== '')
        .map((line) => {
          const [pid = '', url = ''] = line.split(' ');
          return { pid: Number(pid), url };
        }),
  };
}

/** Returns a function that gives the slot of a pid. */
export function slotsIn(router: SocketRouter): (pid: number) => string | undefined {
  const slots = new Map(router.stats().workers.map(({ pid, slot }) => [pid, slot]));
  return (pid) => slots.get(pid);
}
