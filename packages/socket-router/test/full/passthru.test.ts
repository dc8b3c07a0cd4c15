import { createHash, randomBytes } from 'node:crypto';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, exchange, open, received } from '../clients.ts';
import { nextEvent, openJournal, openRouter } from '../router-fixture.ts';

const passthru = { mode: 'passthru' } as const;

test('a worker that dies while it answers: 502, or a cut answer, and a POST runs once', async () => {
  const journal = openJournal();
  const { port, router } = await openRouter({
    ...passthru,
    own: true,
    env: { JOURNAL: journal.path },
  });
  const refused = nextEvent(router, 'refused');
  expect((await ask(port, { path: '/exit', method: 'POST' })).status).toBe(502);
  expect(await refused).toEqual({ status: 502, reason: 'worker-failed' });
  await expect(ask(port, { path: '/cut' })).rejects.toThrow('aborted');
  expect((await ask(port)).status).toBe(200);
  expect(journal.requests().map(({ url }) => url)).toEqual(['/exit', '/cut', '/']);
});

test('requests wait while no worker is ready', async () => {
  const { port, router, pids } = await openRouter({
    ...passthru,
    own: true,
    count: 1,
    // A worker takes its time to start on a busy machine.
    limits: { maxWaitMs: 60_000 },
  });
  const down = nextEvent(router, 'worker-down');
  const [before = 0] = pids();
  process.kill(before, 'SIGKILL');
  await down;
  const body = randomBytes(100_000);
  const answers = [askWorker(port), askWorker(port, { method: 'POST', body })];
  const [first, second] = await Promise.all(answers);
  expect(first?.pid).not.toBe(before);
  expect(second?.md5).toBe(createHash('md5').update(body).digest('hex'));
});

test('limits hold: slow heads 408, large ones 431, bad ones 400, full workers 503', async () => {
  const { port, router } = await openRouter({
    ...passthru,
    count: 1,
    limits: { headTimeoutMs: 1000, headBytes: 1000, queuePerWorker: 1 },
  });
  const slow = await open(port);
  slow.write('GET / HTTP/1.1\r\n');
  expect(await received(slow)).toMatch(/^HTTP\/1\.1 408 /);
  expect(
    await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(2000)}\r\n\r\n`),
  ).toMatch(/^HTTP\/1\.1 431 /);
  expect(await exchange(port, 'BAD\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  const busy = await open(port);
  busy.write('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbo');
  await until(() => router.stats().workers[0]?.open === 1);
  expect((await ask(port)).status).toBe(503);
  busy.write('dy');
  expect(await received(busy)).toMatch(/^HTTP\/1\.1 200 /);
  const socket = await open(port);
  const [silent] = await Promise.all([received(socket)]);
  expect(silent).toBe('');
});
