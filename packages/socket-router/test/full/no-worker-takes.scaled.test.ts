import { readFileSync, writeFileSync } from 'node:fs';
import { isFullScale, lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { type Answer, ask } from '../clients.ts';
import { openJournal, openRouter } from '../router-fixture.ts';

const MAX_WAIT_MS = 3000;
/** The other limits, and the first replacement of a worker, come much later or before. */
const limits = {
  maxWaitMs: MAX_WAIT_MS,
  claimTimeoutMs: 300,
  headTimeoutMs: 60_000,
  stuckTimeoutMs: 60_000,
};

interface Timed extends Answer {
  readonly ms: number;
}

async function timed(port: number, path: string, method = 'GET'): Promise<Timed> {
  const began = performance.now();
  const answer = await ask(port, { path, method });
  return { ...answer, ms: performance.now() - began };
}

/** Milliseconds that no machine exceeds, and fewer than each of the other limits. */
const LATEST_MS = 30_000;

type Mode = 'socket' | 'passthru';

function testStoppedWorkers(mode: Mode): void {
  test(`mode ${mode}: while all workers are stopped clients get 503 with Retry-After within maxWaitMs, nothing of theirs runs, and workers that come back serve [paused-process]`, async () => {
    const journal = openJournal();
    const { port, pids, router } = await openRouter({
      mode,
      own: true,
      limits,
      env: { JOURNAL: journal.path },
    });
    await stop(pids());
    const paths = Array.from({ length: 12 }, (_, index) => `/stopped-${index}`);
    const answers = await Promise.all(
      paths.map((path, index) => timed(port, path, index % 3 === 0 ? 'POST' : 'GET')),
    );
    for (const { status, headers, ms } of answers) {
      expect([status, headers['retry-after'], headers['content-type']]).toEqual([
        503,
        '1',
        'application/problem+json',
      ]);
      expect(ms).toBeGreaterThan(MAX_WAIT_MS / 3);
      expect(ms).toBeLessThan(LATEST_MS);
    }
    // These wait for workers that are taken for dead, and get them.
    const waiting = [timed(port, '/late-0'), timed(port, '/late-1')];
    await until(() => router.stats().waiting + totalQueued(router) === 2);
    for (const pid of pids()) process.kill(pid, 'SIGCONT');
    const late = await Promise.all(waiting);
    expect(late.map(({ status }) => status)).toEqual([200, 200]);
    await until(() => router.stats().workers.every(({ state }) => state === 'ready'));
    const after = await Promise.all([timed(port, '/after'), timed(port, '/after', 'POST')]);
    expect(after.map(({ status }) => status)).toEqual([200, 200]);
    const run = journal.requests().map(({ url }) => url);
    expect(run.sort()).toEqual(['/after', '/after', '/late-0', '/late-1']);
    expect(pids().every(lives)).toBe(true);
  });
}

function testBusyWorkers(mode: Mode): void {
  test(`mode ${mode}: while all workers are busy in a loop clients get 503 within maxWaitMs; what the workers had taken is answered`, async () => {
    const journal = openJournal();
    const { port, router } = await openRouter({
      mode,
      own: true,
      limits: { ...limits, maxWaitMs: 1000 },
      env: { JOURNAL: journal.path },
    });
    // For longer than the limit: a request that a worker works on is not waiting for one.
    const end = `${journal.path}-end`;
    const path = `/block?until=${end}`;
    const blocking = [timed(port, path), timed(port, path)];
    await until(() => journal.requests().length === 2);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => timed(port, `/busy-${index}`)),
    );
    for (const { status, headers, ms } of answers) {
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(ms).toBeLessThan(LATEST_MS);
    }
    writeFileSync(end, '');
    expect((await Promise.all(blocking)).map(({ status }) => status)).toEqual([200, 200]);
    await until(() => router.stats().workers.every(({ state }) => state === 'ready'));
    expect((await timed(port, '/after')).status).toBe(200);
    expect(journal.requests().map(({ url }) => url)).toEqual([path, path, '/after']);
  });
}

/** Stops processes, and resolves when they are: none takes what comes next. */
async function stop(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    process.kill(pid, 'SIGSTOP');
    const state = () => /^State:\t(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (process.platform === 'linux') await until(() => state() === 'T');
  }
}

function totalQueued(router: Awaited<ReturnType<typeof openRouter>>['router']): number {
  return router.stats().workers.reduce((sum, { queued }) => sum + queued, 0);
}

testStoppedWorkers('socket');
if (isFullScale()) {
  testStoppedWorkers('passthru');
  testBusyWorkers('socket');
  testBusyWorkers('passthru');
}

test('mode passthru: a worker that has let the time for a request pass gets no more while others serve', async () => {
  const { port, pids, router } = await openRouter({ mode: 'passthru', own: true, limits });
  const [first = 0, second = 0] = pids();
  await stop([first]);
  await until(async () => {
    await Promise.all([ask(port), ask(port)]);
    return router.stats().workers[0]?.state === 'stuck';
  });
  const { refused } = router.stats();
  for (let round = 0; round < 20; round += 1) {
    expect(JSON.parse((await ask(port)).text).pid).toBe(second);
  }
  expect(router.stats().refused).toBe(refused);
  process.kill(first, 'SIGCONT');
  await until(() => router.stats().workers[0]?.state === 'ready');
});
