import { once } from 'node:events';
import { gone } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkClustersAfterEach, start } from './cluster-fixture.ts';
import { hold, startGroup, testEndOfGroup } from './group-cases.ts';

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

testEndOfGroup('SIGTERM');

test('SIGHUP to the whole group: no request is lost, and each worker has a successor [group-signals]', async () => {
  const { child, group, url, pids, line } = await startGroup();
  const answers = await Promise.all(Array.from({ length: 6 }, () => hold(url)));
  process.kill(group, 'SIGHUP');
  expect(await Promise.all(answers.map(({ answer }) => answer))).toEqual([
    200, 200, 200, 200, 200, 200,
  ]);
  await Promise.all(pids.map((pid) => gone(pid, 60_000)));
  const ended = once(child, 'exit');
  process.kill(group, 'SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await line()).toBe('4');
});
