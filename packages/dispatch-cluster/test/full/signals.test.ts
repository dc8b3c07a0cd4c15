import { expect, onTestFinished, test, vi } from 'vitest';
import { checkClustersAfterEach, start } from '../cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 60_000 });

test('close() while workers start: ready() resolves, and state shows it', async () => {
  const supervisor = start();
  const ready = supervisor.ready();
  const closed = supervisor.close();
  await ready;
  expect(['draining', 'closed']).toContain(supervisor.state);
  await closed;
  await supervisor.ready();
  expect(supervisor.state).toBe('closed');
});

test('SIGTERM while workers start: ready() resolves, and state shows it', async () => {
  const other = vi.fn();
  process.on('SIGTERM', other);
  onTestFinished(() => void process.off('SIGTERM', other));
  const supervisor = start({ signals: true });
  const ready = supervisor.ready();
  process.kill(process.pid, 'SIGTERM');
  await ready;
  expect(['draining', 'closed']).toContain(supervisor.state);
  await supervisor.close();
  await supervisor.ready();
  expect(other).toHaveBeenCalledOnce();
});
