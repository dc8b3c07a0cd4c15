import http from 'node:http';
import { gone } from '@ticketing/test-kit';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { type ClusterOptions, type Supervisor, startCluster } from '../src/index.ts';

export { addressOf } from '../stress/rolling-restart.ts';

const running: { readonly supervisor: Supervisor; readonly pids: Set<number> }[] = [];

/** Starts a cluster of `fixtures/server.ts`, with one worker by default, and closes it after the test. */
export function start(options: Partial<ClusterOptions> = {}): Supervisor {
  const supervisor = startCluster({
    entry: new URL('fixtures/server.ts', import.meta.url),
    workers: 1,
    execArgv: ['--conditions=@ticketing/source'],
    shutdown: { lameDuckMs: 300, graceMs: 3000 },
    ...options,
  });
  const pids = new Set<number>();
  for (const { pid } of supervisor.workers) if (pid !== undefined) pids.add(pid);
  supervisor.events.on('worker-ready', ({ pid }) => pid !== undefined && pids.add(pid));
  running.push({ supervisor, pids });
  return supervisor;
}

/** Each test of the file ends with every cluster closed, and no process left of it. */
export function checkClustersAfterEach(): void {
  afterEach(async () => {
    for (const { supervisor, pids } of running.splice(0)) {
      await supervisor.close();
      expect(supervisor.stats()).toMatchObject({ state: 'closed', workers: [] });
      await Promise.all([...pids].map((pid) => gone(pid, 1000)));
    }
  });
}

/** Hides the output of workers that complain, which a run must not report. */
export function hideComplaints(): void {
  beforeAll(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true));
  afterAll(() => void vi.mocked(process.stderr.write).mockRestore());
}

export interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
  readonly pid: number;
  readonly workerId: number;
  readonly slot: number;
  readonly draining: boolean;
}

/** Asks over a connection of its own, unless an agent keeps them. */
export function ask(url: string, agent: http.Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const { statusCode: status = 0, headers } = response;
        const body = JSON.parse(String(Buffer.concat(chunks)));
        resolve({ status, connection: headers.connection, ...body });
      })
      .once('error', reject);
  });
}
