import { execFileSync } from 'node:child_process';
import net from 'node:net';
import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';
import { testKilledWorkers } from '../killed-workers.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testKilledWorkers('round-robin', { kills: 1, clients: 20 });

/** Limits the descriptors of the processes from now on. */
function limitDescriptors(pids: readonly (number | undefined)[], count: number): void {
  for (const pid of pids) execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${count}:${count}`]);
}

// `prlimit` is a program of Linux.
test.runIf(process.platform === 'linux')(
  'a worker that ran out of descriptors takes connections again as soon as it has some',
  async () => {
    const supervisor = start({ workers: 1, heartbeatMs: 60_000 });
    await supervisor.ready();
    const { pid } = supervisor.workers[0] ?? {};
    const url = await addressOf(supervisor);
    limitDescriptors([pid], 45);
    const slow = Array.from({ length: 4 }, () => ask(`${url}/?ms=500`));
    await ask(url);
    const idle = Array.from({ length: 100 }, () => net.connect(Number(new URL(url).port)));
    // Further connections wait in the primary.
    await vi.waitFor(
      () => expect(supervisor.stats().waitingConnections).toBeGreaterThan(0),
      60_000,
    );
    for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
    for (const socket of idle) socket.destroy();
    expect(await ask(url)).toMatchObject({ status: 200, pid });
    expect(supervisor.stats()).toMatchObject({ wedgedWorkers: 0 });
  },
);

test.runIf(process.platform === 'linux')(
  'a worker that never has a descriptor again is replaced, and its connections are served by the successor',
  async () => {
    const supervisor = start({ workers: 1, claimTimeoutMs: 500, heartbeatMs: 60_000 });
    await supervisor.ready();
    const { pid } = supervisor.workers[0] ?? {};
    const url = await addressOf(supervisor);
    const slow = ask(`${url}/?ms=3000`);
    limitDescriptors([pid], 45);
    await ask(`${url}/leak`);
    // No connection is lost.
    for (let { pid: by } = await ask(url); by === pid; ) ({ pid: by } = await ask(url));
    // Requests in flight there are answered.
    expect(await slow).toMatchObject({ status: 200, pid });
    expect(supervisor.stats()).toMatchObject({ wedgedWorkers: 1, droppedConnections: 0 });
  },
);
