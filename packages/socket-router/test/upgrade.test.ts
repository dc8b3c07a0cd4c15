import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { exchange, open } from './clients.ts';
import { openRouter } from './router-fixture.ts';

const modes = ['socket', 'passthru'] as const;

async function openSocket(port: number, path = '/') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const [hello] = await once(socket, 'message');
  return { socket, hello: JSON.parse(String(hello)) };
}

test.each(modes)('mode %s: WebSockets carry messages both ways', async (mode) => {
  const { port, pids } = await openRouter({ mode, worker: 'websocket-worker' });
  const opened = await Promise.all([1, 2, 3, 4].map(() => openSocket(port)));
  for (const { socket, hello } of opened) {
    expect(pids()).toContain(hello.pid);
    expect(hello.from).toBe(mode === 'passthru' ? '127.0.0.1' : undefined);
    for (const size of [1, 1000, 200_000]) {
      const sent = randomBytes(size);
      socket.send(sent);
      const [echoed] = await once(socket, 'message');
      expect(sent.equals(echoed)).toBe(true);
    }
    socket.close();
    await once(socket, 'close');
  }
});

test.each(modes)('mode %s: bytes right after the upgrade are not lost', async (mode) => {
  const { port } = await openRouter({ mode, worker: 'websocket-worker', count: 1 });
  const socket = await open(port);
  const head =
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  // A masked text frame, mask 0: "early".
  const frame = Buffer.concat([Buffer.from([0x81, 0x85, 0, 0, 0, 0]), Buffer.from('early')]);
  socket.write(Buffer.concat([Buffer.from(head), frame]));
  let all = '';
  for await (const chunk of socket) {
    all += chunk.toString('latin1');
    if (all.endsWith('early')) break;
  }
  expect(all).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(all).toContain('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

test.each(modes)(
  'mode %s: an upgrade that the worker forbids is answered, and the connection ends',
  async (mode) => {
    const { port } = await openRouter({ mode, worker: 'websocket-worker', count: 1 });
    const answer = await exchange(
      port,
      'GET /forbidden HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer.toLowerCase()).toContain('connection: close');
    expect(answer.endsWith('\r\n\r\nno')).toBe(true);
  },
);

test.each(modes)('mode %s: close() lets the worker end its WebSockets itself', async (mode) => {
  const { port, router } = await openRouter({ mode, worker: 'websocket-worker', count: 1 });
  const { socket } = await openSocket(port);
  const closed = router.close({ graceMs: 5000 });
  const [code] = await once(socket, 'close');
  expect(code).toBe(1001);
  await closed;
});

test('HTTP/2 without TLS is handed over', async () => {
  const kinds: string[] = [];
  const { port } = await openRouter({
    worker: 'h2c-worker',
    count: 1,
    route: ({ kind }) => {
      kinds.push(kind);
      return undefined;
    },
  });
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const answers = await Promise.all(
    ['/one', '/two'].map((path) => text(session.request({ ':path': path }))),
  );
  expect(answers).toEqual(['2.0 /one', '2.0 /two']);
  expect(kinds).toEqual(['h2c']);
  session.close();
});
