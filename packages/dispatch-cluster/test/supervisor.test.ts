import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { gone, lives } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from './cluster-fixture.ts';
import { testCountedRequests } from './counted-requests.ts';
import type { Tasks } from './fixtures/server.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

test('four requests, one after the other, are served by four workers in turn', async () => {
  const supervisor = start({ workers: 4 });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const pids: number[] = [];
  for (let index = 0; index < 4; index++) pids.push((await ask(url)).pid);
  expect(new Set(pids).size).toBe(4);
  expect(supervisor.workers.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
});

testCountedRequests('http');

test('reload() replaces each worker, and a connection that is kept gets one more answer', async () => {
  const supervisor = start({ workers: 2, shutdown: { lameDuckMs: 100_000 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const before = supervisor.workers.map(({ pid }) => pid ?? Number.NaN);
  const agent = new http.Agent({ keepAlive: true });
  const first = await ask(url, agent);
  expect(first).toMatchObject({ connection: 'keep-alive', draining: false });
  await supervisor.reload();
  await vi.waitFor(
    () => expect(supervisor.workers.filter(({ state }) => state === 'ready').length).toBe(2),
    60_000,
  );
  const last = await ask(url, agent);
  expect(last).toMatchObject({ pid: first.pid, connection: 'close', draining: true });
  expect(before).not.toContain((await ask(url, agent)).pid);
  // Nothing keeps the old ones any longer.
  await Promise.all(before.map((pid) => gone(pid, 60_000)));
  agent.destroy();
});

test('scale() adds workers and takes the last ones away', async () => {
  const supervisor = start();
  await supervisor.ready();
  await supervisor.scale(3);
  expect(supervisor.workers.map(({ slot, state }) => [slot, state])).toEqual([
    [0, 'ready'],
    [1, 'ready'],
    [2, 'ready'],
  ]);
  await supervisor.scale(1);
  expect(supervisor.workers).toMatchObject([{ workerId: 1, slot: 0 }]);
  await expect(supervisor.scale(0)).rejects.toThrow(RangeError);
});

test('close() lets a request end with `Connection: close`, and then nothing is left', async () => {
  const supervisor = start({ shutdown: { lameDuckMs: 300, graceMs: 60_000 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const agent = new http.Agent({ keepAlive: true });
  const slow = ask(`${url}/draining`, agent);
  // It has come when a later one has been answered.
  await ask(url);
  const closed = supervisor.close();
  expect(await slow).toMatchObject({ status: 200, connection: 'close', draining: true });
  await closed;
  await expect(ask(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  agent.destroy();
});

test.each([
  ['half a head is no request: its worker ends as if idle', 60_000, 'GET / HTTP/1.1\r\nHost: a'],
  [
    'a body that is too slow is cut when the grace ends',
    100,
    'POST /?ms=60000 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbod',
  ],
])('close(): %s, with exit code 0', async (_, graceMs, text) => {
  const supervisor = start({ shutdown: { lameDuckMs: 50, graceMs } });
  await supervisor.ready();
  const socket = net.connect(Number(new URL(await addressOf(supervisor)).port), '127.0.0.1');
  const ended = once(
    socket.on('error', () => {}),
    'close',
  );
  socket.write(text);
  // The worker has read it when it answers a later connection.
  await ask(await addressOf(supervisor));
  const exit = once(supervisor.events, 'worker-exit');
  // The worker's own grace ends it; on a busy machine that takes its time.
  await supervisor.close({ graceMs: 60_000 });
  await ended;
  expect(await exit).toMatchObject([{ exitCode: 0 }]);
});

test('a worker that is killed is replaced at once, and its exit is reported', async () => {
  const supervisor = start();
  await supervisor.ready();
  const { pid = Number.NaN } = supervisor.workers[0] ?? {};
  await ask(await addressOf(supervisor));
  const exit = once(supervisor.events, 'worker-exit');
  const ready = once(supervisor.events, 'worker-ready');
  process.kill(pid, 'SIGKILL');
  expect(await exit).toMatchObject([{ workerId: 1, slot: 0, pid, signal: 'SIGKILL' }]);
  expect(await ready).toMatchObject([{ workerId: 2, slot: 0 }]);
});

test.each([
  ['that is stopped', async (_: string, pid: number) => process.kill(pid, 'SIGSTOP')],
  [
    'in a loop',
    async (url: string) => {
      ask(`${url}/spin?ms=60000`).catch(() => {});
    },
  ],
])('a worker %s is replaced by the heartbeat', async (_, disturb) => {
  const supervisor = start({ heartbeatMs: 300 });
  await supervisor.ready();
  const { pid = Number.NaN } = supervisor.workers[0] ?? {};
  const exit = once(supervisor.events, 'worker-exit');
  const ready = once(supervisor.events, 'worker-ready');
  await disturb(await addressOf(supervisor), pid);
  expect(await exit).toMatchObject([{ pid, signal: 'SIGKILL' }]);
  await ready;
  expect(supervisor.stats().dispatcher).toMatchObject({ recycled: 1, lost: 0, circuit: 'closed' });
});

test('a worker is replaced after its requests, replacement first', async () => {
  const supervisor = start({ recycle: { requests: 10, jitter: 0 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const ready = once(supervisor.events, 'worker-ready');
  for (let index = 0; index < 9; index++) expect(await ask(url)).toMatchObject({ workerId: 1 });
  expect(supervisor.stats().dispatcher.spawned).toBe(1);
  await ask(url);
  expect(await ready).toMatchObject([{ workerId: 2, slot: 0 }]);
  await vi.waitFor(async () => expect(await ask(url)).toMatchObject({ workerId: 2 }), 60_000);
});

test('SIGTERM to one worker has it replaced first; workers leave Ctrl-C to the primary', async () => {
  const supervisor = start();
  await supervisor.ready();
  const { pid = Number.NaN } = supervisor.workers[0] ?? {};
  process.kill(pid, 'SIGINT');
  const exit = once(supervisor.events, 'worker-exit');
  const ready = once(supervisor.events, 'worker-ready');
  process.kill(pid, 'SIGTERM');
  expect(await ready).toMatchObject([{ workerId: 2 }]);
  expect(await exit).toMatchObject([{ workerId: 1, exitCode: 0 }]);
});

test('dispatchers run tasks on the same workers, and closing one does not stop the servers', async () => {
  const supervisor = start({
    args: ['one', 'two'],
    env: { ONLY: 'this', PATH: process.env['PATH'] },
  });
  const dispatcher = supervisor.dispatcher<Tasks>();
  expect(await dispatcher.run('double', 21)).toBe(42);
  expect(await dispatcher.run('pid', undefined)).toBe(supervisor.workers[0]?.pid);
  expect(await dispatcher.run('argv', undefined)).toEqual(['one', 'two']);
  expect(await dispatcher.run('environment', 'ONLY')).toBe('this');
  // Neither what was not given nor what is between us.
  for (const name of ['HOME', 'TICKETING_CLUSTER_WORKER', 'NODE_UNIQUE_ID']) {
    expect(await dispatcher.run('environment', name)).toBe(undefined);
  }
  await dispatcher.close();
  expect(await ask(await addressOf(supervisor))).toMatchObject({ status: 200 });
  expect(await supervisor.dispatcher<Tasks>().run('double', 1)).toBe(2);
});

test('a cluster whose connections are external serves sockets that it is given', async () => {
  const supervisor = start({ connections: 'external', env: { ...process.env, SERVER: 'later' } });
  await supervisor.ready();
  const [worker] = supervisor.workers;
  expect(worker?.address).toBe(undefined);
  const front = net.createServer({ pauseOnConnect: true }, (socket) => {
    worker?.process?.send('socket', socket);
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const { port } = front.address() as net.AddressInfo;
  expect(await ask(`http://127.0.0.1:${port}`)).toMatchObject({ pid: worker?.pid });
  front.close();
});

test('workers of a primary that is killed are gone within a second, idle and busy', async () => {
  const file = fileURLToPath(new URL('fixtures/primary.ts', import.meta.url));
  const args = ['--conditions=@ticketing/source', file];
  const primary = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(primary.stdout, 'data');
  const pids = JSON.parse(String(line)) as number[];
  expect(pids.map(lives)).toEqual([true, true]);
  primary.kill('SIGKILL');
  await once(primary, 'exit');
  await Promise.all(pids.map((pid) => gone(pid, 1000)));
});
