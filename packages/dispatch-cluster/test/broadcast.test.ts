import { expect, test } from 'vitest';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';
import type { Tasks } from './fixtures/server.ts';

checkClustersAfterEach();

test('broadcast() has each worker answer once', async () => {
  const supervisor = start({ workers: 3 });
  await supervisor.ready();
  const outcomes = await supervisor.broadcast<Tasks, 'pid'>('pid', undefined);
  const pids = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value);
  expect(pids).toEqual(supervisor.workers.map(({ pid }) => pid));
});
