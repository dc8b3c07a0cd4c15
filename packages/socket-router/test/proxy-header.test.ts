import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import type { Head } from '../src/index.ts';
import { exchange, open, received, workerReplyIn } from './clients.ts';
import { openRouter } from './router-fixture.ts';

const modes = ['socket', 'passthru'] as const;
const LINE = Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n');
const BLOCK = Buffer.concat([
  Buffer.from('\r\n\r\n\0\r\nQUIT\n'),
  Buffer.from([0x21, 0x11, 0, 12, 203, 0, 113, 7, 192, 0, 2, 1, 0x12, 0x67, 0x01, 0xbb]),
]);
const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
const trusted = { proxyProtocol: { trusted: ['127.0.0.0/8', '::1'] } };

test.each([
  ['socket', 'line', LINE],
  ['socket', 'block', BLOCK],
  ['passthru', 'line', LINE],
  ['passthru', 'block', BLOCK],
] as const)(
  "mode %s: a PROXY %s gives the client's address to the route and to the worker",
  async (mode, _, header) => {
    const heads: Head[] = [];
    const { port } = await openRouter({
      mode,
      count: 1,
      ...trusted,
      route: (head) => {
        heads.push(head);
        return undefined;
      },
    });
    const reply = workerReplyIn(await exchange(port, Buffer.concat([header, REQUEST])));
    expect(heads[0]).toMatchObject({
      remoteAddress: '203.0.113.7',
      proxy: {
        source: { address: '203.0.113.7', port: 4711 },
        destination: { address: '192.0.2.1', port: 443 },
      },
    });
    if (mode === 'passthru') expect(reply.headers['x-forwarded-for']).toBe('203.0.113.7');
    else expect(reply).toMatchObject({ remoteAddress: '203.0.113.7', remotePort: 4711 });
  },
);

test.each(modes)('mode %s: a PROXY header may come byte by byte', async (mode) => {
  const { port } = await openRouter({ mode, count: 1, ...trusted });
  const socket = await open(port);
  const answer = received(socket);
  for (const byte of Buffer.concat([BLOCK, REQUEST])) {
    socket.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
});

test.each(modes)('mode %s: a proxy must send the header', async (mode) => {
  const { port, router } = await openRouter({ mode, count: 1, ...trusted });
  const reasons: string[] = [];
  router.on('refused', ({ reason }) => reasons.push(reason));
  expect(await exchange(port, REQUEST)).toBe('');
  expect(await exchange(port, 'PROXY TCP4 nonsense\r\n')).toBe('');
  expect(reasons[0]).toBe('proxy-header-missing');
  expect(reasons[1]).toMatch(/^proxy-header-/);
});

test.each(modes)(
  'mode %s: a PROXY header from an untrusted address is not believed',
  async (mode) => {
    const { port } = await openRouter({
      mode,
      count: 1,
      proxyProtocol: { trusted: ['10.0.0.0/8'] },
    });
    expect(await exchange(port, Buffer.concat([LINE, REQUEST]))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(port, REQUEST)).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test('a proxy that connects for itself is a client like any other', async () => {
  const { port } = await openRouter({ count: 1, ...trusted });
  const local = Buffer.concat([BLOCK.subarray(0, 12), Buffer.from([0x20, 0x00, 0, 0])]);
  const reply = workerReplyIn(await exchange(port, Buffer.concat([local, REQUEST])));
  expect(reply.remoteAddress).toBe('127.0.0.1');
});

test("the client's address in a PROXY header is seen through TLS", async () => {
  const { port } = await openRouter({
    count: 1,
    worker: 'tls-worker',
    env: { SERVER: 'https' },
    protocol: 'tls-sni',
    ...trusted,
  });
  const socket = await open(port);
  socket.write(LINE);
  const ca = readFileSync(new URL('workers/tls/cert.pem', import.meta.url));
  const secure = connect({ socket, servername: 'a.router.test', ca });
  secure.write(REQUEST);
  expect(await text(secure)).toContain('"remoteAddress":"203.0.113.7"');
});
