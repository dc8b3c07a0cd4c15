import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { get } from 'node:https';
import { connect as connectNet, createServer } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { open, received } from './clients.ts';
import { type OpenOptions, openRouter } from './router-fixture.ts';

const ca = readFileSync(new URL('workers/tls/cert.pem', import.meta.url));

interface WorkerReply {
  readonly pid: number;
  readonly httpVersion: string;
  readonly reused: boolean;
  readonly servername: string;
  readonly remoteAddress: string;
}

function openTls(server: 'https' | 'http2' | 'tls', options: OpenOptions = {}) {
  return openRouter({
    worker: 'tls-worker',
    env: { SERVER: server },
    protocol: 'tls-sni',
    ...options,
  });
}

async function askHttps(port: number, servername: string): Promise<WorkerReply> {
  const asked = get({ host: '127.0.0.1', port, servername, ca, agent: false });
  const [response] = await once(asked, 'response');
  return (await json(response)) as WorkerReply;
}

async function tlsTo(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'a.router.test', ca, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

test('connections are routed by server name, and the worker ends the TLS', async () => {
  const { port, pids } = await openTls('https', {
    route: ({ kind, sni }) =>
      kind === 'tls' ? { slot: sni === 'b.router.test' ? '1' : '0' } : { refuse: 400 },
  });
  expect(await askHttps(port, 'a.router.test')).toMatchObject({
    pid: pids()[0],
    httpVersion: '1.1',
  });
  expect(await askHttps(port, 'b.router.test')).toMatchObject({
    pid: pids()[1],
    httpVersion: '1.1',
  });
});

test('HTTP/2 over TLS: many requests on one connection; connections are routed by ALPN', async () => {
  const { port, pids } = await openTls('http2', {
    route: ({ alpn = [] }) => ({ slot: alpn.includes('h2') ? '1' : '0' }),
  });
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: 'a.router.test' });
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async () => (await json(session.request({ ':path': '/' }))) as WorkerReply,
    ),
  );
  expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set([pids()[1]]));
  expect(answers[0]?.httpVersion).toBe('2.0');
  session.close();
  expect(await askHttps(port, 'a.router.test')).toMatchObject({
    pid: pids()[0],
    httpVersion: '1.1',
  });
});

test('HTTP/2 sessions end with close(), long before its grace does', async () => {
  const { port, router } = await openTls('http2', { count: 1 });
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: 'a.router.test' });
  await json(session.request({ ':path': '/' }));
  const codes: number[] = [];
  session.on('goaway', (code) => codes.push(code));
  // Without its end the test would end first.
  await Promise.all([once(session, 'close'), router.close({ graceMs: 600_000 })]);
  expect(codes).toEqual([constants.NGHTTP2_NO_ERROR]);
});

test('a hello that comes in fragments is routed by its name', async () => {
  const { port, pids } = await openTls('tls', {
    route: ({ sni = '' }) => ({ slot: sni.startsWith('b') ? '1' : '0' }),
  });
  const relay = createServer((client) => {
    const upstream = connectNet({ host: '127.0.0.1', port, noDelay: true });
    client.on('data', async (chunk) => {
      client.pause();
      for (let at = 0; at < chunk.length; at += 7) {
        upstream.write(chunk.subarray(at, at + 7));
        await new Promise(setImmediate);
      }
      client.resume();
    });
    upstream.pipe(client);
    upstream.on('error', () => {});
    client.on('error', () => {});
    client.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void relay.close());
  await once(relay, 'listening');
  const { port: relayPort } = relay.address() as { port: number };
  for (const [name, slot] of [
    ['a.router.test', 0],
    ['b.router.test', 1],
  ] as const) {
    const socket = await tlsTo(relayPort, { servername: name });
    expect(JSON.parse(await text(socket))).toEqual({ pid: pids()[slot], servername: name });
  }
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  '%s: a ticket of one worker is taken by another',
  async (version) => {
    let slot = '0';
    const { port, pids } = await openTls('https', { route: () => ({ slot }) });
    const options: ConnectionOptions = { minVersion: version, maxVersion: version };
    const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    let session: Buffer | undefined;
    const first = connect({ host: '127.0.0.1', port, servername: 'a.router.test', ca, ...options });
    first.on('session', (ticket) => {
      session = ticket;
    });
    first.write(request);
    const body = await text(first);
    expect(body).toContain(`"pid":${pids()[0]}`);
    expect(body).toContain('"reused":false');
    slot = '1';
    const second = await tlsTo(port, { ...options, ...(session && { session }) });
    second.write(request);
    const resumed = await text(second);
    expect(resumed).toContain(`"pid":${pids()[1]}`);
    expect(resumed).toContain('"reused":true');
  },
);

test('protocol auto: one port speaks both', async () => {
  const heads: string[] = [];
  const { port } = await openTls('https', {
    protocol: 'auto',
    count: 1,
    route: ({ kind }) => {
      heads.push(kind);
      return kind === 'tls' ? undefined : { refuse: 426 };
    },
  });
  expect((await askHttps(port, 'a.router.test')).httpVersion).toBe('1.1');
  const socket = await open(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 426 /);
  expect(heads).toEqual(['tls', 'http1']);
});

test('a refused TLS client gets an alert', async () => {
  const { port } = await openTls('https', { count: 1, route: () => ({ refuse: 403 }) });
  await expect(askHttps(port, 'a.router.test')).rejects.toThrow(/alert internal error/);
});
