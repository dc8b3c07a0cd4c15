import cluster from 'node:cluster';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { startCluster } from '../../src/index.ts';
import { addressOf, ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';
import type { Tasks } from '../fixtures/server.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

test('two clusters in one process have their own workers and programs, and end alone', async () => {
  const [one, two] = ['one', 'two'].map((name) =>
    start({ name, args: [name], env: { ...process.env, PORT: '0' } }),
  );
  if (one === undefined || two === undefined) throw new Error('no clusters');
  expect(await one.dispatcher<Tasks>().run('argv', undefined)).toEqual(['one']);
  expect(await two.dispatcher<Tasks>().run('argv', undefined)).toEqual(['two']);
  const exits = vi.fn();
  two.events.on('worker-exit', exits);
  const pid = two.workers[0]?.pid;
  await Promise.all([one.reload(), one.close()]).catch(() => {});
  expect(exits).not.toHaveBeenCalled();
  expect(await two.dispatcher<Tasks>().run('pid', undefined)).toBe(pid);
});

test('settings of another part of the process for its own workers of node:cluster stay', async () => {
  const exec = new URL('../fixtures/silent.ts', import.meta.url).pathname;
  cluster.setupPrimary({ exec, args: ['mine'], silent: true });
  const before = { ...cluster.settings };
  const supervisor = start();
  await supervisor.ready();
  expect(cluster.settings).toMatchObject(before);
  expect(cluster.settings.serialization).toBe(undefined);
  const worker = cluster.fork();
  await once(worker, 'online');
  expect(worker.process.spawnargs).toContain('mine');
  const exits = vi.fn();
  supervisor.events.on('worker-exit', exits);
  worker.process.kill('SIGKILL');
  await once(worker, 'exit');
  expect(exits).not.toHaveBeenCalled();
  expect(await ask(await addressOf(supervisor))).toMatchObject({ status: 200 });
});

test('a second `schedulingPolicy` in one process is refused', () => {
  expect(() =>
    startCluster({ entry: new URL('file:///none.js'), schedulingPolicy: 'shared' }),
  ).toThrow(
    new TypeError(
      'Cannot start cluster: `schedulingPolicy` must be round-robin, which workers of this process have, got shared',
    ),
  );
});
