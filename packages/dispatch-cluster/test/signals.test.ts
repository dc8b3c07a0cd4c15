import { once } from 'node:events';
import { gone } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 60_000 });

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const counts = () => names.map((name) => process.listenerCount(name));

test('with option signals the cluster handles signals until it is closed', async () => {
  const before = counts();
  const without = start();
  expect(counts()).toEqual(before);
  const supervisor = start({ signals: true });
  expect(counts()).toEqual(before.map((count) => count + 1));
  await supervisor.close();
  expect(counts()).toEqual(before);
  await without.close();
});

test('SIGHUP while workers start reloads once they serve; one that fails emits reload-failed', async () => {
  const supervisor = start({ signals: true });
  const first = once(supervisor.events, 'worker-ready');
  process.kill(process.pid, 'SIGHUP');
  const [{ pid = Number.NaN }] = await first;
  await gone(pid, 30_000);
  await supervisor.ready();
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('NODE_OPTIONS', '--no-such-option');
  const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => complaints.mockRestore());
  const failed = once(supervisor.events, 'reload-failed');
  process.kill(process.pid, 'SIGHUP');
  expect(await failed).toMatchObject([{ error: { code: 'ERR_WORKER_LOST' } }]);
});
