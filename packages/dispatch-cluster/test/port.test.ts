import { expect, test, vi } from 'vitest';
import { allWorkersKilled } from '../stress/all-workers-killed.ts';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 60_000 });

const restart = { intensity: 1000, backoffMs: [1, 50] } as const;

test('all workers killed under load, again and again: no connection is refused, no client hangs', async () => {
  const supervisor = start({ workers: 2, restart });
  await supervisor.ready();
  const { 200: answered = 0, ...failed } = await allWorkersKilled(supervisor, {
    kills: 5,
    clients: 20,
  });
  expect(answered).toBeGreaterThan(200);
  // Of requests that a killed worker was answering.
  expect(Object.keys(failed)).toEqual(failed['ECONNRESET'] === undefined ? [] : ['ECONNRESET']);
  expect(failed['ECONNRESET'] ?? 0).toBeLessThanOrEqual(5 * 20);
  expect(supervisor.stats()).toMatchObject({ waitingConnections: 0, droppedConnections: 0 });
});
