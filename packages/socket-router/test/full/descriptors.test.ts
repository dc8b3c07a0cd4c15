import { spawnSync } from 'node:child_process';
import { lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, open, received } from '../clients.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';
import { openDescriptors } from '../worker-processes.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

test.skipIf(!hasPrlimit)(
  'a worker that ran out of descriptors, and takes no more connections, is replaced; it finishes what it has',
  async () => {
    const { port, pids, router } = await openRouter({
      own: true,
      count: 1,
      limits: { claimTimeoutMs: 500, stuckTimeoutMs: 100, headTimeoutMs: 60_000 },
    });
    const [before = 0] = pids();
    const descriptors = openDescriptors(before) + 3;
    spawnSync('prlimit', ['--pid', String(before), `--nofile=${descriptors}`]);
    const replaced = nextEvent(router, 'worker-replaced');
    // Some fill the worker; the one after them is on its way for ever.
    const sockets = await Promise.all([1, 2, 3, 4, 5, 6].map(() => open(port)));
    const [first] = sockets as [Awaited<ReturnType<typeof open>>];
    const answer = received(first);
    first.write('GET /later?ms=900 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await until(() => router.stats().handedOver === 1);
    for (const socket of sockets.slice(1)) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await replaced).toEqual({ slot: '0', pid: before });
    const reply = await askWorker(port);
    expect(reply.pid).not.toBe(before);
    expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*"pid":${before}`));
    for (const socket of sockets) socket.destroy();
    await until(() => !lives(before));
    expect((await ask(port)).status).toBe(200);
  },
);

test('a worker that is stopped for longer than stuckTimeoutMs is replaced, and killed with the router', async () => {
  const { port, pids } = await openRouter({
    own: true,
    count: 1,
    limits: { claimTimeoutMs: 500, stuckTimeoutMs: 100, headTimeoutMs: 60_000 },
  });
  const [before = 0] = pids();
  process.kill(before, 'SIGSTOP');
  expect((await askWorker(port)).pid).not.toBe(before);
  expect(lives(before)).toBe(true);
});
