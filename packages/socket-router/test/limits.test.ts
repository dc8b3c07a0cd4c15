import { randomBytes } from 'node:crypto';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, exchange, open, received } from './clients.ts';
import { openSlow, status } from './refused.ts';
import { nextEvent, openRouter } from './router-fixture.ts';

const HELLO_START = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);

test.each([
  ['obs-fold', 'GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n', 400],
  ['a bare LF', 'GET / HTTP/1.1\nHost: a\n\n', 400],
  ['NUL', 'GET / HTTP/1.1\r\nHost: a\r\nA: \0\r\n\r\n', 400],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n',
    400,
  ],
  [
    'length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
  ['space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', 400],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['an unknown coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: zip\r\n\r\n', 501],
  ['a head too large', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [
    'a PROXY line without a trusted proxy',
    'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
    400,
  ],
])('%s is refused with the status for it', async (_, bytes, code) => {
  const { port, router } = await openRouter({ count: 1 });
  expect(await exchange(port, bytes)).toMatch(status(code));
  expect(router.stats()).toMatchObject({ handedOver: 0, refused: 1 });
});

test('TLS on a plain port is closed without an answer', async () => {
  const { port, router } = await openRouter({ count: 1 });
  const refused = nextEvent(router, 'refused');
  expect(await exchange(port, HELLO_START)).toBe('');
  expect(await refused).toEqual({ status: 0, reason: 'tls-on-plain-port' });
});

test('plain HTTP on a TLS port, and a wrong hello, are closed without an answer', async () => {
  const { port } = await openRouter({ count: 1, protocol: 'tls-sni' });
  expect(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  expect(await exchange(port, Buffer.from([0x16, 0x03, 0x01, 0x00, 0x04, 2, 0, 0, 0]))).toBe('');
});

test('while 100 clients never finish their head, others are served', async () => {
  const { port, router } = await openRouter({ limits: { headTimeoutMs: 60_000 } });
  const slow = await openSlow(port);
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async () => (await ask(port)).status),
  );
  expect(statuses).toEqual(Array(50).fill(200));
  expect(router.stats()).toMatchObject({ reading: 100, handedOver: 50 });
  for (const socket of slow) socket.destroy();
});

test('a connection without a byte is closed without an answer', async () => {
  const { port, router } = await openRouter({ count: 1, limits: { headTimeoutMs: 100 } });
  const socket = await open(port);
  expect(await received(socket)).toBe('');
  expect(router.stats()).toMatchObject({ refused: 1, reading: 0 });
});

test('a client that leaves before the end of its head is counted and forgotten', async () => {
  const { port, router } = await openRouter({ count: 1 });
  const socket = await open(port);
  await new Promise((resolve) => socket.write('GET / HTTP/1.1\r\n', resolve));
  await until(() => router.stats().reading !== 0);
  socket.resetAndDestroy();
  await until(() => router.stats().reading !== 1);
  // Up to Node 22 a reset that comes with the last bytes looks like an end.
  const { gone, refused, handedOver } = router.stats();
  expect([gone + refused, handedOver]).toEqual([1, 0]);
});

test('a worker with a full queue gets no more: 503 when all are full', async () => {
  const { port, pids, router } = await openRouter({
    count: 1,
    limits: { queuePerWorker: 2, claimTimeoutMs: 60_000 },
  });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  const waiting = [ask(port, { path: '/1' }), ask(port, { path: '/2' })];
  await until(() => router.stats().waiting === 1);
  expect(router.stats().workers[0]?.queued).toBe(1);
  expect((await ask(port)).status).toBe(503);
  process.kill(pid, 'SIGCONT');
  expect((await Promise.all(waiting)).map((answer) => answer.status)).toEqual([200, 200]);
});

test('a connection that no worker takes in time is refused with 503', async () => {
  const { port, pids, router } = await openRouter({
    count: 1,
    limits: { maxWaitMs: 300, claimTimeoutMs: 50 },
  });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  const refused = nextEvent(router, 'refused');
  const answer = ask(port);
  expect(await refused).toEqual({ status: 503, reason: 'worker-timeout' });
  expect((await answer).status).toBe(503);
  process.kill(pid, 'SIGCONT');
});

test('a refused client can read its answer although it goes on sending', async () => {
  const { port } = await openRouter({ count: 1 });
  const socket = await open(port);
  const answer = received(socket);
  socket.write('BAD\r\n\r\n');
  for (let chunk = 0; chunk < 50; chunk++) socket.write(Buffer.alloc(10_000));
  expect(await answer).toMatch(status(400));
});

test.each(['http', 'tls-sni', 'auto'] as const)(
  'protocol %s: the router survives any input',
  async (protocol) => {
    const { port, router } = await openRouter({
      protocol,
      proxyProtocol: { trusted: ['10.0.0.1'] },
    });
    const starts = [
      'GET / HTTP/1.1\r\n',
      'PROXY ',
      'PRI * HTTP/2.0\r\n',
      '\r\n\r\n\0\r\nQUIT\n',
      '',
    ].map((text) => Buffer.from(text));
    starts.push(HELLO_START, Buffer.from([0x16, 0x03, 0x01]));
    const send = async (round: number): Promise<void> => {
      const start = starts[round % starts.length] ?? HELLO_START;
      const socket = await open(port);
      socket.on('error', () => {});
      socket.end(Buffer.concat([start, randomBytes(round)]));
      await received(socket).catch(() => 'reset');
    };
    for (let round = 0; round < 200; round += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => send(round + index)));
    }
    const { accepted, reading } = router.stats();
    expect([accepted, reading]).toEqual([200, 0]);
    if (protocol === 'http') expect((await ask(port)).status).toBe(200);
  },
);

test('a queue that has waited for half of maxWaitMs takes no more: 503 at once, with Retry-After', async () => {
  const { port, pids, router } = await openRouter({
    count: 1,
    limits: { maxWaitMs: 1000, claimTimeoutMs: 60_000, headTimeoutMs: 60_000 },
  });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  const reasons: string[] = [];
  router.on('refused', ({ reason }) => reasons.push(reason));
  const answers = [ask(port)];
  await until(() => router.stats().workers[0]?.queued === 1);
  // On a busy machine the first may have waited for all of it before another one comes.
  while (!reasons.includes('queue-slow')) {
    answers.push(ask(port));
    await until(() => router.stats().accepted === answers.length);
  }
  const { status, headers } = (await answers.at(-1)) as Awaited<ReturnType<typeof ask>>;
  expect([status, headers['retry-after']]).toEqual([503, '1']);
  process.kill(pid, 'SIGCONT');
  const statuses = (await Promise.all(answers)).map((answer) => answer.status);
  expect(statuses.filter((code) => code !== 200 && code !== 503)).toEqual([]);
  expect(new Set(reasons)).not.toContain('pending-full');
});
