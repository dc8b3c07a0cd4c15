import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { checkClustersAfterEach, hideComplaints, start } from '../cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });
hideComplaints();

const misused = new URL('../fixtures/misused.ts', import.meta.url);
const restart = { backoffMs: [1, 60_000], maxFailures: 3 } as const;

test.each([
  [
    'calls clusterWorker() twice',
    'twice',
    'Cannot serve as cluster worker: `clusterWorker` was called before',
  ],
  [
    'starts a cluster itself',
    'cluster',
    'Cannot start cluster: this process is itself a worker of node:cluster',
  ],
])('a program that %s fails with the reason', async (_, misuse, message) => {
  const supervisor = start({
    entry: misused,
    args: [misuse],
    restart: { ...restart, maxFailures: 0 },
  });
  const [{ error }] = await once(supervisor.events, 'circuit-open');
  // Without a server it may have started by then.
  expect(error.message).toMatch(
    /^Worker ended with exit code 1 before it(?: listened|s first answer): /,
  );
  expect(error.message).toMatch(new RegExp(`: TypeError: ${message}$`));
});

test('servers that crash before they have answered open the circuit', async () => {
  const supervisor = start({ env: { ...process.env, CRASHES: 'yes' }, restart });
  await once(supervisor.events, 'circuit-open');
  await expect(supervisor.ready()).rejects.toThrow(
    'Workers keep failing: Worker ended with exit code 1 before its first answer: Error: crashed as planned',
  );
  const stats = supervisor.stats().dispatcher;
  expect(stats).toMatchObject({ circuit: 'open', spawned: 4 });
});
