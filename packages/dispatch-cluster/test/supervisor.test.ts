import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { gone, lives } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from './cluster-fixture.ts';
import type { Tasks } from './fixtures/server.ts';
import { testHeartbeat } from './held-workers.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

test('three requests, one after the other, are served by three workers in turn', async () => {
  const supervisor = start({ workers: 3 });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const pids: number[] = [];
  for (let index = 0; index < 3; index++) pids.push((await ask(url)).pid);
  expect(new Set(pids).size).toBe(3);
  expect(supervisor.workers.map(({ pid }) => pid)).toEqual(expect.arrayContaining(pids));
});

test('reload() replaces each worker, and a kept connection gets one more answer', async () => {
  const supervisor = start({ workers: 2, shutdown: { lameDuckMs: 100_000, graceMs: 110_000 } });
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

test('close() lets a request end with `Connection: close`, and then nothing is left', async () => {
  // The grace ends after the test, so only the answer can end the worker.
  const supervisor = start({ shutdown: { lameDuckMs: 300, graceMs: 1_000_000 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const agent = new http.Agent({ keepAlive: true });
  const slow = ask(`${url}/draining`, agent);
  // The slow request has arrived when a later one is answered.
  await ask(url);
  const closed = supervisor.close();
  expect(await slow).toMatchObject({ status: 200, connection: 'close', draining: true });
  await closed;
  await expect(ask(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  agent.destroy();
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

testHeartbeat('that is stopped');

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
  // Neither variables that were not given nor internal ones.
  for (const name of ['HOME', 'TICKETING_CLUSTER_WORKER', 'NODE_UNIQUE_ID']) {
    expect(await dispatcher.run('environment', name)).toBe(undefined);
  }
  await dispatcher.close();
  expect(await ask(await addressOf(supervisor))).toMatchObject({ status: 200 });
  expect(await supervisor.dispatcher<Tasks>().run('double', 1)).toBe(2);
});

test('workers of a killed primary end within a second, idle and busy', async () => {
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
