import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { askWorker, exchange, workerReplyIn } from '../clients.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';
import { get, openStopped, stopClock, TWENTY, toFirst } from '../stopped-worker.ts';

test('a worker is killed with 20 connections on their way: another answers all, and each request runs once', async () => {
  const { router, port, journal, first, second } = await openStopped(
    { claimTimeoutMs: 60_000 },
    true,
  );
  const answers = Promise.all(TWENTY.map((path) => exchange(port, get(path))));
  await until(() => router.stats().workers[0]?.queued === 20);
  process.kill(first, 'SIGKILL');
  const reply = (await answers).map(workerReplyIn);
  expect(new Set(reply.map(({ pid }) => pid))).toEqual(new Set([second]));
  const run = journal.requests().filter(({ url }) => url !== '/');
  expect(run.map(({ url }) => url).sort()).toEqual([...TWENTY].sort());
});

test('a stopped worker that continues later runs nothing twice, and gets connections again', async () => {
  const { router, port, journal, first, second } = await openStopped({ claimTimeoutMs: 200 });
  const reply = (await Promise.all(TWENTY.map((path) => exchange(port, get(path))))).map(
    workerReplyIn,
  );
  expect(new Set(reply.map(({ pid }) => pid))).toEqual(new Set([second]));
  const ready = nextEvent(router, 'worker-ready');
  process.kill(first, 'SIGCONT');
  expect(await ready).toEqual({ slot: '0', pid: first });
  expect((await askWorker(port, { path: '/after' })).pid).toBe(first);
  const run = journal.requests().filter(({ url }) => url !== '/' && url !== '/after');
  expect(run.map(({ url }) => url).sort()).toEqual([...TWENTY].sort());
});

test('a worker that is busy for long returns its connections to another, and answers what it claimed', async () => {
  const limits = { claimTimeoutMs: 1000, maxWaitMs: 60_000, stuckTimeoutMs: 60_000 };
  const { router, port, pids } = await openRouter({ ...toFirst, limits });
  const [first, second] = pids();
  const folder = mkdtempSync(join(tmpdir(), 'busy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const end = join(folder, 'end');
  const busy = askWorker(port, { path: `/block?until=${end}` });
  await until(() => router.stats().handedOver !== 0);
  const others = await Promise.all([askWorker(port), askWorker(port), askWorker(port)]);
  expect(others.map(({ pid }) => pid)).toEqual([second, second, second]);
  writeFileSync(end, '');
  expect((await busy).pid).toBe(first);
});

test('connections without a key do not wait for a slow worker', async () => {
  const { router, port, pids } = await openRouter({ limits: { claimTimeoutMs: 60_000 } });
  const [first = 0, second = 0] = pids();
  process.kill(first, 'SIGSTOP');
  const urls = new Set(TWENTY);
  const answers = TWENTY.map(async (path) => {
    const reply = workerReplyIn(await exchange(port, get(path)));
    urls.delete(reply.url);
    return reply.pid;
  });
  // All but the one that is on its way to the worker that is stopped.
  await until(() => urls.size === 1);
  expect(router.stats()).toMatchObject({ waiting: 0, rerouted: 0 });
  process.kill(first, 'SIGCONT');
  const answeredBy = await Promise.all(answers);
  expect(answeredBy.filter((pid) => pid === second)).toHaveLength(19);
});

test('when all workers are stuck, clients wait for the first that continues', async () => {
  const { router, port, pids } = await openRouter({ count: 1, limits: { claimTimeoutMs: 100 } });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  const stuck = nextEvent(router, 'worker-stuck');
  const answers = Promise.all(TWENTY.map((path) => exchange(port, get(path))));
  await stuck;
  // Clients may still be on their way.
  await until(() => router.stats().waiting === 20);
  expect(router.stats().workers).toMatchObject([{ state: 'stuck' }]);
  stopClock();
  process.kill(pid, 'SIGCONT');
  expect((await answers).map((answer) => workerReplyIn(answer).url)).toEqual(TWENTY);
});
