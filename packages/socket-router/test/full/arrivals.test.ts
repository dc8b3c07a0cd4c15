import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { monotonicMs } from '../../src/wire/monotonic-clock.ts';
import { askWorker, oneConnection } from '../clients.ts';
import { openRouter } from '../router-fixture.ts';

const modes = ['socket', 'passthru'] as const;
/** Header that a client sends in vain. */
const headers = { 'x-router-arrived-at': '1' };

test.each(modes)(
  'mode %s: a worker knows when the router had read a request that waited for it',
  async (mode) => {
    const { port, pids, router } = await openRouter({
      mode,
      count: 1,
      limits: { claimTimeoutMs: 60_000 },
    });
    const [pid = Number.NaN] = pids();
    process.kill(pid, 'SIGSTOP');
    const sentAt = monotonicMs();
    const answer = askWorker(port, { headers });
    await until(() => {
      const [worker] = router.stats().workers;
      return worker?.queued === 1 || worker?.open === 1;
    });
    const waitedAt = monotonicMs();
    process.kill(pid, 'SIGCONT');
    const reply = await answer;
    expect(reply.arrived?.latest).toBeGreaterThanOrEqual(sentAt);
    expect(reply.arrived?.earliest).toBeLessThanOrEqual(waitedAt);
  },
);

test('mode passthru: each request on a connection has its own time of arrival', async () => {
  const { port } = await openRouter({ mode: 'passthru', count: 1 });
  const agent = oneConnection();
  for (let request = 0; request < 3; request++) {
    const sentAt = monotonicMs();
    const { arrived } = await askWorker(port, { agent, headers });
    expect(arrived?.latest).toBeGreaterThanOrEqual(sentAt);
  }
  agent.destroy();
});

test("mode socket: later requests on a connection are the worker's own: their arrival is not known", async () => {
  const { port } = await openRouter({ count: 1 });
  const agent = oneConnection();
  const first = await askWorker(port, { agent });
  const second = await askWorker(port, { agent, headers });
  expect([typeof first.arrived?.latest, second.arrived]).toEqual(['number', null]);
  agent.destroy();
});

test('a request that one worker forwards to another keeps a time of arrival', async () => {
  const { port } = await openRouter({
    laterRequests: 'forward',
    route: ({ header }) => ({ key: header?.('x-key') ?? '' }),
    env: { ROUTE: 'key' },
  });
  const agent = oneConnection();
  const pids = new Set<number>();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const sentAt = monotonicMs();
    const reply = await askWorker(port, { agent, headers: { ...headers, 'x-key': key } });
    if (pids.size > 0 && !pids.has(reply.pid)) {
      expect(reply.arrived?.latest).toBeGreaterThanOrEqual(sentAt);
    }
    pids.add(reply.pid);
  }
  expect(pids.size).toBe(2);
  agent.destroy();
});
