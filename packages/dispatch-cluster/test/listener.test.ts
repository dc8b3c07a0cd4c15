import { expect, test, vi } from 'vitest';
import { checkClustersAfterEach, hideComplaints } from './cluster-fixture.ts';
import { serve, testListener } from './listener-cases.ts';

checkClustersAfterEach();
hideComplaints();
vi.setConfig({ testTimeout: 120_000 });

testListener('function');

test('a function that makes nothing is told what it must make', async () => {
  // The first failure is the last.
  const supervisor = serve('nothing', { restart: { maxFailures: 0 } });
  await expect(supervisor.ready()).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    cause: {
      message:
        'Cannot serve as cluster worker: `server` must make a server, an application with one or a listener `(request, response) => …` of two parameters, got undefined',
    },
  });
});
