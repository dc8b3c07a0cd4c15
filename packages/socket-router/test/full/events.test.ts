import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { ask, exchange } from '../clients.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';

const EVENTS = [
  'refused',
  'rerouted',
  'worker-stuck',
  'worker-replaced',
  'worker-down',
  'worker-ready',
] as const;

test('each event is published on the diagnostics channel of its name', async () => {
  const published: [string | symbol, unknown][] = [];
  const listener = (data: unknown, name: string | symbol): void =>
    void published.push([name, data]);
  for (const event of EVENTS) {
    subscribe(`ticketing:socket-router:${event}`, listener);
    onTestFinished(() => void unsubscribe(`ticketing:socket-router:${event}`, listener));
  }
  const { router, port, pids } = await openRouter({
    own: true,
    count: 1,
    limits: { stuckTimeoutMs: 1 },
  });
  const [pid = Number.NaN] = pids();
  const worker = { slot: '0', pid };
  expect(published).toEqual([['ticketing:socket-router:worker-ready', worker]]);
  await exchange(port, 'BAD\r\n\r\n');
  process.kill(pid, 'SIGSTOP');
  expect((await ask(port)).status).toBe(200);
  const [successor] = router.stats().workers.filter(({ state }) => state === 'ready');
  const down = nextEvent(router, 'worker-down');
  process.kill(pid, 'SIGKILL');
  await down;
  expect(published.slice(1)).toEqual([
    ['ticketing:socket-router:refused', { status: 400, reason: 'request-line' }],
    ['ticketing:socket-router:worker-stuck', worker],
    ['ticketing:socket-router:rerouted', { slot: '0', reason: 'worker-stuck', connections: 1 }],
    ['ticketing:socket-router:worker-replaced', worker],
    ['ticketing:socket-router:worker-ready', { slot: '0', pid: successor?.pid }],
    ['ticketing:socket-router:worker-down', worker],
  ]);
});

test('a listener that is removed gets no more events', async () => {
  const { router, port } = await openRouter({ count: 1 });
  const heard: string[] = [];
  const listener = ({ reason }: { reason: string }): void => void heard.push(reason);
  router.on('refused', listener);
  await exchange(port, 'BAD\r\n\r\n');
  router.off('refused', listener);
  await exchange(port, 'BAD\r\n\r\n');
  expect(heard).toHaveLength(1);
});

test('stats() counts connections by where they are', async () => {
  const { router, port, pids } = await openRouter({ count: 1 });
  const [pid] = pids();
  expect(router.stats()).toEqual({
    state: 'listening',
    accepted: 0,
    reading: 0,
    waiting: 0,
    handedOver: 0,
    gone: 0,
    answered: 0,
    refused: 0,
    rerouted: 0,
    claimMs: { leMs: expect.any(Array), counts: new Array(15).fill(0), sumMs: 0 },
    workers: [{ slot: '0', pid, state: 'ready', queued: 0, open: 0, handedOver: 0 }],
    ended: { workers: 0, handedOver: 0 },
  });
  const answer = ask(port, { path: '/later?ms=100' });
  await until(() => router.stats().handedOver !== 0);
  expect(router.stats()).toMatchObject({ accepted: 1, workers: [{ open: 1, handedOver: 1 }] });
  const { claimMs } = router.stats();
  expect(claimMs.counts.reduce((all, count) => all + count)).toBe(1);
  expect(claimMs.sumMs).toBeGreaterThan(0);
  await answer;
  await until(() => router.stats().workers[0]?.open === 0);
});

test.each(['socket', 'passthru'] as const)(
  'mode %s publishes what a worker got, and keeps the counts of workers that ended',
  async (mode) => {
    const published: unknown[] = [];
    const listener = (data: unknown): void => void published.push(data);
    subscribe('ticketing:socket-router:handed-over', listener);
    onTestFinished(() => void unsubscribe('ticketing:socket-router:handed-over', listener));
    const { router, port, pids } = await openRouter({ own: true, count: 1, mode });
    await ask(port);
    const kind = mode === 'socket' ? 'connection' : 'request';
    expect(published).toEqual([{ slot: '0', kind, ms: expect.any(Number) }]);
    const ready = nextEvent(router, 'worker-ready');
    process.kill(pids()[0] ?? Number.NaN, 'SIGKILL');
    await ready;
    await ask(port);
    const { handedOver, workers, ended } = router.stats();
    expect(handedOver).toBe(2);
    expect(ended).toEqual({ workers: 1, handedOver: 1 });
    expect(workers.reduce((all, worker) => all + worker.handedOver, 0)).toBe(1);
  },
);
