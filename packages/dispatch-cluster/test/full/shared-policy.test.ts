import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';
import { testKilledWorkers } from '../killed-workers.ts';

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

testKilledWorkers('shared', { kills: 1, clients: 20 });
