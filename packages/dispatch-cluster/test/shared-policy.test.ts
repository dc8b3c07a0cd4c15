import { expect, test, vi } from 'vitest';
import { allWorkersKilled } from '../stress/all-workers-killed.ts';
import { addressOf, ask, checkClustersAfterEach, start } from './cluster-fixture.ts';

// A file of its own: a process has one policy.
checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

test('with a shared handle workers take connections themselves, and each request is served', async () => {
  const supervisor = start({ workers: 2, schedulingPolicy: 'shared' });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const known = supervisor.workers.map(({ pid }) => pid);
  const reload = supervisor.reload();
  for (let index = 0; index < 100; index++) {
    const { status, pid } = await ask(url);
    expect(status).toBe(200);
    if (index === 0) expect(known).toContain(pid);
  }
  await reload;
  expect(known).not.toContain((await ask(url)).pid);
});

test('all workers killed under load, again and again: no connection is refused, no client hangs', async () => {
  const restart = { intensity: 1000, backoffMs: [1, 50] } as const;
  const supervisor = start({ workers: 2, schedulingPolicy: 'shared', restart });
  await supervisor.ready();
  const { 200: answered = 0, ...failed } = await allWorkersKilled(supervisor, {
    kills: 3,
    clients: 20,
  });
  expect(answered).toBeGreaterThanOrEqual(3 * 40);
  expect(Object.keys(failed)).toEqual(failed['ECONNRESET'] === undefined ? [] : ['ECONNRESET']);
  expect(failed['ECONNRESET'] ?? 0).toBeLessThanOrEqual(3 * 20);
});
