import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import {
  ask,
  askWorker,
  exchange,
  oneConnection,
  open,
  received,
  workerReplyIn,
} from './clients.ts';
import { openJournal, openRouter } from './router-fixture.ts';
import { socketFolders } from './socket-folders.ts';

const passthru = { mode: 'passthru' } as const;

test('bodies go through whole, with and without a length', async () => {
  const { port } = await openRouter(passthru);
  const body = randomBytes(3 * 1024 * 1024);
  const md5 = createHash('md5').update(body).digest('hex');
  const headers: Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
  for (const one of [...headers, ...headers, ...headers]) {
    const reply = await askWorker(port, { method: 'POST', body, headers: one });
    expect(reply).toMatchObject({ md5, bytes: body.length });
  }
});

test('answers go through whole, with their headers, and wait for slow readers', async () => {
  const { port } = await openRouter({ ...passthru, count: 1 });
  const { headers, text } = await ask(port, { path: '/bytes?count=5000000' });
  expect(text.length).toBe(5_000_000);
  expect(headers['x-twice']).toBe('one, two');
  expect(headers['keep-alive']).toBeUndefined();
});

test('workers see the address of the client, and no headers of the connections between', async () => {
  const { port } = await openRouter({ ...passthru, count: 1 });
  const first = await askWorker(port, { headers: { 'x-own': 'own', te: 'trailers' } });
  expect(first.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-own': 'own' });
  expect(first.headers['te']).toBeUndefined();
  const second = await askWorker(port, {
    headers: { 'x-forwarded-for': '203.0.113.7', connection: 'close, x-hop', 'x-hop': 'hop' },
  });
  expect(second.headers['x-forwarded-for']).toBe('203.0.113.7, 127.0.0.1');
  expect(second.headers['x-hop']).toBeUndefined();
});

test('the context of a trace goes through as it is', async () => {
  const { port } = await openRouter({ ...passthru, count: 1 });
  const headers = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    baggage: 'key=value;property, other=%20',
  };
  expect((await askWorker(port, { headers })).headers).toMatchObject(headers);
});

test('requests of one connection go to the least loaded worker each', async () => {
  const { port, router } = await openRouter({ ...passthru, count: 2 });
  const agent = oneConnection();
  const pids = new Set<number>();
  for (let request = 0; request < 6; request++) pids.add((await askWorker(port, { agent })).pid);
  expect(pids.size).toBe(2);
  expect(router.stats()).toMatchObject({ accepted: 1, handedOver: 6 });
  agent.destroy();
});

test('an unreachable worker is avoided, and the next one gets the whole body', async () => {
  const { port, router } = await openRouter(passthru);
  const [folder = ''] = socketFolders();
  rmSync(join(process.env['TMPDIR'] ?? '', folder, '1'));
  const body = randomBytes(1024 * 1024);
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => askWorker(port, { method: 'POST', body })),
  );
  const md5 = createHash('md5').update(body).digest('hex');
  expect(answers.map((reply) => reply.md5)).toEqual(Array(4).fill(md5));
  expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
  expect(router.stats()).toMatchObject({ handedOver: 4, refused: 0 });
  expect(router.stats().rerouted).toBeGreaterThan(0);
});

test('a client that leaves ends its request at the worker', async () => {
  const { port, router } = await openRouter({ ...passthru, count: 1 });
  const socket = await open(port);
  socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => router.stats().workers[0]?.open === 1);
  socket.destroy();
  await until(() => router.stats().workers[0]?.open === 0);
  expect(router.stats().refused).toBe(0);
});

test.each([
  ['a length', 'Content-Length: 4\r\n\r\nbody'],
  ['chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n'],
])(
  'a request that offers another protocol and has a body with %s is a plain request',
  async (_, body) => {
    const { port, router } = await openRouter({ ...passthru, count: 1 });
    const offer = `POST /offer HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n${body}`;
    const socket = await open(port);
    const reply = [];
    for (const request of [offer, offer, 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n']) {
      socket.write(request);
      const [answer] = await once(socket, 'data');
      reply.push(workerReplyIn(String(answer)));
    }
    socket.destroy();
    expect(reply.map(({ url, bytes }) => [url, bytes])).toEqual([
      ['/offer', 4],
      ['/offer', 4],
      ['/next', 0],
    ]);
    expect(reply[0]?.headers.upgrade).toBeUndefined();
    expect(router.stats()).toMatchObject({ accepted: 1, handedOver: 3, refused: 0 });
  },
);

test.each(['GET', 'DELETE', 'POST'])(
  'a body of %s in chunks that reads like a request stays a body',
  async (method) => {
    const { port, router } = await openRouter({ ...passthru, count: 1 });
    const body = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
    const socket = await open(port);
    const reply = [];
    for (const request of [
      `${method} /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
      'GET /next HTTP/1.1\r\nHost: a\r\n\r\n',
    ]) {
      socket.write(request);
      const [answer] = await once(socket, 'data');
      reply.push(workerReplyIn(String(answer)));
    }
    socket.destroy();
    expect(reply.map(({ url, bytes }) => [url, bytes])).toEqual([
      ['/one', 2 * body.length],
      ['/next', 0],
    ]);
    expect(router.stats()).toMatchObject({ handedOver: 2, refused: 0 });
  },
);

test('an answer before the end of a body is read, then both connections end if the rest does not come', async () => {
  const journal = openJournal();
  const { port } = await openRouter({ ...passthru, count: 1, env: { JOURNAL: journal.path } });
  const socket = await open(port);
  socket.write('POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbody');
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 413 /);
  await until(() => journal.requests().some(({ url }) => url === '/left'));
});

test('a worker that switches protocols without a request for it causes a 502', async () => {
  const { port } = await openRouter({ ...passthru, count: 1 });
  for (const method of ['GET', 'POST']) {
    expect(await ask(port, { method, path: '/switch' })).toMatchObject({ status: 502 });
  }
  expect((await askWorker(port)).method).toBe('GET');
});

test('a request that no proxy sends is answered with 501 at once', async () => {
  const { port, router } = await openRouter(passthru);
  expect(await exchange(port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1\.1 501 /);
  expect(router.stats()).toMatchObject({ handedOver: 0, refused: 1, rerouted: 0 });
});

test('a client that is refused can read its answer although it goes on sending', async () => {
  const { port } = await openRouter({ ...passthru, count: 1, route: () => ({ refuse: 413 }) });
  const socket = await open(port);
  const answer = received(socket);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
  for (let chunk = 0; chunk < 50; chunk++) socket.write(Buffer.alloc(10_000));
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
});

test('a client that waits for 100 Continue gets it', async () => {
  const { port } = await openRouter({ ...passthru, count: 1 });
  const socket = await open(port);
  socket.write(
    'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n',
  );
  const [first] = await once(socket, 'data');
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('body');
  expect(workerReplyIn(await received(socket)).bytes).toBe(4);
});
