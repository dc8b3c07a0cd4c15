import { once } from 'node:events';
import { gone } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkClustersAfterEach, start } from '../cluster-fixture.ts';
import { hold, startGroup, testEndOfGroup } from '../group-cases.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 60_000 });

testEndOfGroup('SIGINT');

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
