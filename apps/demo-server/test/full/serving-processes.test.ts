import http from 'node:http';
import type { Socket } from 'node:net';
import { lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, getFrom, hold, MADRID_BARCELONA, requestsAt, startDemo } from '../demo.ts';
import { pidsOf } from '../processes.ts';

async function serversOf(url: string): Promise<number[]> {
  return pidsOf((await getFrom(`${url}/config`)).body, 'server');
}

const start = (accept: string, ...argv: string[]) =>
  startDemo(['--accept', accept, '--workers', '2', ...argv]);

/** A busy machine may need seconds for an answer that is complete. */
const PATIENT = ['--deadline-ms', '60000'];

const idleSince = new WeakMap<Socket, number>();

/**
 * Asks over connections that are kept. One that was idle for half a second, as on a machine that is busy, may be closed by the
 * server as the request is sent: only then it is asked again.
 */
function statusOf(url: string, agent: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    let used: Socket | undefined;
    let idleMs = 0;
    const request = http.get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => {
        if (used !== undefined) idleSince.set(used, performance.now());
        resolve(response.statusCode ?? 0);
      });
    });
    request.once('socket', (socket) => {
      used = socket;
      idleMs = performance.now() - (idleSince.get(socket) ?? performance.now());
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      const wasClosed = request.reusedSocket && error.code === 'ECONNRESET' && idleMs > 500;
      if (wasClosed) resolve(statusOf(url, agent));
      else reject(error);
    });
  });
}

/** Proves that SIGHUP replaces all processes that serve. */
function testReload(accept: string): void {
  test(`--accept ${accept}: SIGHUP replaces the processes that serve, and no request fails`, {}, async () => {
    const demo = await start(accept, '--latency', '5');
    const before = await serversOf(demo.url);
    let isOver = false;
    const outcomes = new Set<number | string>();
    const agent = new http.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const clients = Array.from({ length: 10 }, async (_, client) => {
      while (!isOver) {
        const path = `${MADRID_BARCELONA}&passengers=${1 + (client % 9)}`;
        outcomes.add(await statusOf(demo.url + path, agent).catch(String));
      }
    });
    demo.child.kill('SIGHUP');
    await eventually(async () => {
      const now = await serversOf(demo.url);
      expect(now).toHaveLength(2);
      expect(now.filter((pid) => before.includes(pid))).toEqual([]);
      expect(before.filter(lives)).toEqual([]);
    });
    isOver = true;
    await Promise.all(clients);
    expect([...outcomes]).toEqual([200]);
  });
}

/** Proves that a process that is killed is replaced. */
function testReplacement(accept: string): void {
  test(`--accept ${accept}: a process that is killed is replaced and reported, and a client that asks again loses nothing`, {}, async () => {
    const demo = await start(accept, '--latency', '20', '--dispatch', 'cluster');
    const [victim = 0] = await serversOf(demo.url);
    process.kill(victim, 'SIGKILL');
    // A connection on its way to it as it ended has no answer: node:cluster forgets it. A proxied request is a 502.
    await eventually(async () => {
      const signal = AbortSignal.timeout(2000);
      const { status, body } = await getFrom(demo.url + MADRID_BARCELONA, { signal });
      expect([status, body.complete]).toEqual([200, true]);
    });
    await eventually(async () => {
      const now = await serversOf(demo.url);
      expect(now).toHaveLength(2);
      expect(now).not.toContain(victim);
    });
    expect(demo.errors()).toContain(`Server process ${victim} ended (SIGKILL)`);
  });
}

/** Proves that a signal to every process of the program, as of a terminal or a service manager, loses no request in flight. */
function testGroupSignal(signal: NodeJS.Signals, accept: string, dispatch: string): void {
  test(`${signal} to the whole group, --accept ${accept} --dispatch ${dispatch}: what is in flight is answered [group-signals]`, async () => {
    const ways = ['--accept', accept, '--dispatch', dispatch, '--latency', '300', ...PATIENT];
    if (accept !== 'single') ways.push('--workers', '2');
    const demo = await startDemo(ways, { DEMO_GROUP: 'own' });
    const group = -(demo.child.pid as number);
    // On connections of their own: a kept one may be closed, with its worker, as the next request is sent.
    const own = { headers: { connection: 'close' } };
    const { body: config } = await getFrom(`${demo.url}/config`, own);
    const pids = ['server', 'task'].flatMap((role) => pidsOf(config, role));
    const answer = await hold(demo.carriersUrl, 'renfe');
    const asked = Array.from({ length: 6 }, (_, index) =>
      getFrom(`${demo.url}${MADRID_BARCELONA}&passengers=${index + 1}`, own),
    );
    await eventually(async () =>
      expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(6),
    );
    process.kill(group, signal);
    await answer();
    const answers = await Promise.all(asked);
    expect(answers.map(({ status, body }) => [status, body.complete])).toEqual(
      asked.map(() => [200, true]),
    );
    if (signal === 'SIGHUP') {
      // It goes on, with others in the place of its workers.
      expect((await getFrom(demo.url + MADRID_BARCELONA, own)).status).toBe(200);
      process.kill(group, 'SIGTERM');
    }
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).not.toMatch(/Cannot|Error/);
    expect(pids.filter(lives)).toEqual([]);
  });
}

/** Proves that SIGTERM loses no request that is in flight, and no process. */
function testTermination(accept: string, dispatch: string): void {
  test(`SIGTERM, --accept ${accept} --dispatch ${dispatch}: what is in flight is answered, then nothing is left`, {}, async () => {
    const ways = ['--accept', accept, '--dispatch', dispatch, '--coalesce', 'machine'];
    const demo = await startDemo([...ways, '--workers', '2', '--latency', '300', ...PATIENT]);
    const { body: config } = await getFrom(`${demo.url}/config`);
    const pids = ['server', 'task'].flatMap((role) => pidsOf(config, role));
    const answer = await hold(demo.carriersUrl, 'renfe');
    const asked = getFrom(demo.url + MADRID_BARCELONA);
    await eventually(async () =>
      expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1),
    );
    demo.child.kill('SIGTERM');
    await answer();
    const { status, body } = await asked;
    expect([status, body.complete]).toEqual([200, true]);
    expect(await demo.exit()).toBe(0);
    expect(pids.filter(lives)).toEqual([]);
  });
}
testReplacement('cluster');
testReplacement('socket');
testReplacement('passthru');
testReload('cluster');
testReload('socket');
testReload('passthru');
testTermination('cluster', 'in-process');
testTermination('cluster', 'fork');
testTermination('cluster', 'cluster');
testTermination('socket', 'cluster');
testTermination('passthru', 'cluster');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  testGroupSignal(signal, 'single', 'fork');
  testGroupSignal(signal, 'single', 'piscina');
  testGroupSignal(signal, 'cluster', 'cluster');
  testGroupSignal(signal, 'socket', 'cluster');
  testGroupSignal(signal, 'passthru', 'fork');
}
