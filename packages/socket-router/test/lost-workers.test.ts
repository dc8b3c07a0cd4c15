import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { WorkerChannel, WorkerSource } from '../src/index.ts';
import { ask, askWorker, exchange, open, workerReplyIn } from './clients.ts';
import { nextEvent, openRouter } from './router-fixture.ts';
import { get, openStopped, stopClock, TWENTY } from './stopped-worker.ts';
import { forked } from './worker-processes.ts';

test('a worker is stopped and then killed: another answers 20 of 20 clients, and each request runs once', async () => {
  const goOn = stopClock();
  const { router, port, journal, first } = await openStopped({ claimTimeoutMs: 200 }, true);
  goOn();
  // Within the event: the other worker gets the connections right after it.
  router.on('worker-stuck', stopClock);
  const stuck = nextEvent(router, 'worker-stuck');
  const answers = Promise.all(TWENTY.map((path) => exchange(port, get(path))));
  expect(await stuck).toEqual({ slot: '0', pid: first });
  process.kill(first, 'SIGKILL');
  const reply = (await answers).map(workerReplyIn);
  expect(reply.map(({ url }) => url)).toEqual(TWENTY);
  // The second one, or the successor of the first.
  expect(reply.map(({ pid }) => pid)).not.toContain(first);
  const run = journal.requests().filter(({ url }) => url !== '/');
  expect(run.map(({ url }) => url).sort()).toEqual([...TWENTY].sort());
  expect(router.stats().rerouted).toBeGreaterThanOrEqual(20);
});

test('clients may leave before a worker claims them', async () => {
  const { router, port, first } = await openStopped({ claimTimeoutMs: 60_000 });
  const clients = await Promise.all(TWENTY.map(() => open(port)));
  for (const [index, client] of clients.entries()) client.write(get(TWENTY[index] ?? ''));
  await until(() => router.stats().workers[0]?.queued === 20);
  for (const [index, client] of clients.entries()) {
    if (index % 2 === 0) client.resetAndDestroy();
    else client.destroy();
  }
  process.kill(first, 'SIGCONT');
  expect((await askWorker(port)).pid).toBe(first);
  await until(() => router.stats().workers[0]?.open === 0);
  const { accepted, handedOver, gone, refused } = router.stats();
  expect([accepted, handedOver + gone, refused]).toEqual([22, 22, 0]);
});

test('a message whose socket was lost is declined, and the connection is sent again', async () => {
  const source = forked('http-worker', 1);
  let lost = 0;
  const workers: WorkerSource = {
    ...source,
    close: (options) => source.close?.(options) ?? Promise.resolve(),
    subscribe: (listener) =>
      source.subscribe((worker) => {
        const { channel } = worker;
        const send: typeof channel.send = (message, handle, options, callback) => {
          const isLost = handle !== undefined && lost++ === 0;
          return channel.send(message, isLost ? undefined : handle, options, callback);
        };
        listener({ ...worker, channel: { ...eventsOf(channel), send } });
      }),
  };
  const { router, port } = await openRouter({ workers, count: 1 });
  const rerouted = nextEvent(router, 'rerouted');
  expect((await ask(port)).status).toBe(200);
  expect(await rerouted).toEqual({ slot: '0', reason: 'declined', connections: 1 });
});

function eventsOf(channel: WorkerChannel): Pick<WorkerChannel, 'on' | 'off'> {
  return { on: channel.on.bind(channel), off: channel.off.bind(channel) };
}

test('a worker that exits is replaced in its slot while clients wait', async () => {
  const { router, port, pids } = await openRouter({ own: true, count: 1 });
  const down = nextEvent(router, 'worker-down');
  const [before] = pids();
  await expect(ask(port, { path: '/exit' })).rejects.toThrow();
  expect(await down).toEqual({ slot: '0', pid: before });
  const reply = await askWorker(port);
  expect(reply.pid).not.toBe(before);
  expect(router.stats().workers).toMatchObject([{ slot: '0', pid: reply.pid, state: 'ready' }]);
});

test('mode passthru: after the only worker has left, the unix socket of its successor still has its folder', async () => {
  const { router, port, pids } = await openRouter({ mode: 'passthru', own: true, count: 1 });
  const [before = 0] = pids();
  const down = nextEvent(router, 'worker-down');
  process.kill(before, 'SIGUSR2');
  expect(await down).toEqual({ slot: '0', pid: before });
  expect((await askWorker(port)).pid).not.toBe(before);
});
