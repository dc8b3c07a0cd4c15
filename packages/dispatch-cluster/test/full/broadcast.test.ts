import { expect, test } from 'vitest';
import { checkClustersAfterEach, start } from '../cluster-fixture.ts';
import type { Tasks } from '../fixtures/server.ts';

checkClustersAfterEach();

test('broadcast() limits the wait for a worker that hangs, and returns the answers of the others', async () => {
  const supervisor = start({ workers: 2 });
  await supervisor.ready();
  const [stopped, other] = supervisor.workers.map(({ pid }) => pid);
  if (stopped === undefined) throw new Error('a process expected');
  process.kill(stopped, 'SIGSTOP');
  const options = { timeoutMs: 300 };
  const outcomes = await supervisor.broadcast<Tasks, 'pid'>('pid', undefined, options);
  process.kill(stopped, 'SIGCONT');
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: 'ERR_TIMEOUT' } },
    { status: 'fulfilled', value: other },
  ]);
});
