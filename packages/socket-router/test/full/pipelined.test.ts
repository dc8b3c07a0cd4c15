import { once } from 'node:events';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { turns, until } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { limitPipelined } from '../../src/index.ts';
import { ask, open, received } from '../clients.ts';
import { openRouter } from '../router-fixture.ts';

const http = process.getBuiltinModule('node:http');

const AT_A_TIME = 4;
/** Heads that the parser may have got beyond those: of the shortest, as many as fit into one piece of a connection's bytes. */
const AHEAD = 20;

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const LAST = get('/last', 'Connection: close\r\n');

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Opens a server whose requests wait for the test to answer them. `parsed`: heads that its parser has read. */
async function openServer(options: ServerOptions = {}) {
  const waiting: Waiting[] = [];
  const sockets: Socket[] = [];
  const counts = { parsed: 0 };
  class Counted extends http.IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      counts.parsed += 1;
    }
  }
  const server: Server = http.createServer(
    { ...options, IncomingMessage: Counted },
    (request, response) => void waiting.push({ request, response }),
  );
  limitPipelined(server);
  server.on('connection', (socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, waiting, sockets, counts };
}

test('limitPipelined() has 4 requests of a connection under way, in their order, and pauses its socket meanwhile', async () => {
  const { port, waiting, sockets, counts } = await openServer();
  const client = await open(port);
  const all = received(client);
  client.write(Array.from({ length: 1500 }, (_, index) => get(`/${index}`)).join('') + LAST);
  const seen: (string | undefined)[] = [];
  let most = 0;
  while (seen.length < 1501) {
    await until(() => waiting.length === AT_A_TIME || seen.length + waiting.length === 1501);
    await turns(3);
    if (seen.length + waiting.length < 1480) expect(sockets[0]?.isPaused()).toBe(true);
    most = Math.max(most, waiting.length);
    expect(counts.parsed - seen.length).toBeLessThanOrEqual(AT_A_TIME + AHEAD);
    for (const { request, response } of waiting.splice(0)) {
      seen.push(request.url);
      response.end(`<${request.url}>`);
    }
  }
  expect(most).toBe(AT_A_TIME);
  expect(seen).toEqual([...Array.from({ length: 1500 }, (_, index) => `/${index}`), '/last']);
  const answered = [...(await all).matchAll(/<(\/\w+)>/g)].map(([, url]) => url);
  expect(answered).toEqual(seen);
});

test('limitPipelined() holds no more than 4 answers for a client that reads none', async () => {
  const { port, waiting, sockets, counts } = await openServer();
  const client = await open(port);
  client.pause();
  client.write(get('/').repeat(1000));
  await until(() => waiting.length === AT_A_TIME);
  // More than the buffers of both sockets take, so that no answer is through.
  for (const { response } of waiting.splice(0)) response.end(Buffer.alloc(8 * 1024 * 1024));
  await turns(20);
  expect(waiting).toEqual([]);
  expect(counts.parsed).toBeLessThanOrEqual(AT_A_TIME + AHEAD);
  client.destroy();
  await until(() => sockets[0]?.destroyed === true);
  expect(waiting).toEqual([]);
});

test('limitPipelined() reads a body whose request is under way, although as many others wait', async () => {
  const { port, waiting } = await openServer();
  const client = await open(port);
  const body = 'b'.repeat(200_000);
  client.write(get('/').repeat(AT_A_TIME - 1));
  client.write(
    `POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}${get('/after').repeat(100)}`,
  );
  await until(() => waiting.length === AT_A_TIME);
  let bytes = 0;
  const last = waiting.at(-1)?.request as IncomingMessage;
  last.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(last, 'end');
  expect([bytes, waiting.length]).toEqual([body.length, AT_A_TIME]);
  client.destroy();
});

test('limitPipelined() runs no request after an answer that closes the connection', async () => {
  const { port, waiting } = await openServer();
  const client = await open(port);
  const all = received(client);
  client.write(get('/').repeat(40));
  await until(() => waiting.length === AT_A_TIME);
  const [first, ...others] = waiting.splice(0);
  first?.response.writeHead(200, { connection: 'close' }).end();
  for (const { response } of others) response.end();
  expect([...(await all).matchAll(/HTTP\/1\.1 200/g)]).toHaveLength(1);
  await turns(5);
  expect(waiting).toEqual([]);
});

test('limitPipelined() leaves the bytes of another protocol alone, in their order', async () => {
  const { server, port } = await openServer();
  const later = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
  const taken = new Promise<Buffer>((resolve) => {
    server.on('upgrade', (_request, socket: Socket, early: Buffer) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n');
      const chunks = [early];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('end', () => {
        socket.end();
        resolve(Buffer.concat(chunks));
      });
    });
  });
  const client = await open(port);
  const head = Buffer.from(get('/', 'Connection: upgrade\r\nUpgrade: a\r\n'));
  client.end(Buffer.concat([head, later]));
  expect((await taken).equals(later)).toBe(true);
  client.destroy();
});

test('limitPipelined() passes on the requests that a server would get without it, however they are cut', async () => {
  const request = fc.oneof(
    fc.nat(3000).map((length) => get('/get', `X-Long: ${'x'.repeat(length)}\r\n`)),
    fc
      .nat(3000)
      .map(
        (length) =>
          `POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 * length}\r\n\r\n${'\r\n'.repeat(length)}`,
      ),
    fc
      .array(fc.integer({ min: 1, max: 2000 }), { maxLength: 4 })
      .map(
        (chunks) =>
          `POST /chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks
            .map((length) => `${length.toString(16)}\r\n${'y'.repeat(length)}\r\n`)
            .join('')}0\r\n\r\n`,
      ),
  );
  const serve = async (limited: boolean) => {
    const seen: string[] = [];
    const server = http.createServer((received, response) => {
      let bytes = 0;
      received.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      received.on('end', () => {
        seen.push(`${received.url} ${bytes}`);
        response.end();
      });
    });
    if (limited) limitPipelined(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, seen };
  };
  const [plain, limited] = [await serve(false), await serve(true)];
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 5 }),
      async (requests, cuts) => {
        const text = requests.join('') + LAST;
        for (const { port, seen } of [plain, limited]) {
          seen.length = 0;
          const client = await open(port);
          const all = received(client);
          let from = 0;
          for (const cut of cuts) {
            client.write(text.slice(from, from + cut));
            from += cut;
            await turns(1);
          }
          client.write(text.slice(from));
          expect([...(await all).matchAll(/HTTP\/1\.1 200/g)]).toHaveLength(requests.length + 1);
        }
        expect([...limited.seen].sort()).toEqual([...plain.seen].sort());
        expect(limited.seen).toHaveLength(requests.length + 1);
      },
    ),
    { numRuns: 60 },
  );
});

test('mode passthru: of 1,500 requests that one client sends ahead 4 are under way, and the others are answered [one-client-share]', async () => {
  const { port, router } = await openRouter({
    mode: 'passthru',
    count: 1,
    limits: { queuePerWorker: 20 },
  });
  const clients = await Promise.all([open(port), open(port), open(port)]);
  for (const client of clients) client.write(get('/never').repeat(1500));
  await until(() => router.stats().workers[0]?.open === 3 * AT_A_TIME);
  for (let other = 0; other < 5; other += 1) expect((await ask(port)).status).toBe(200);
  expect(router.stats()).toMatchObject({ refused: 0, handedOver: 3 * AT_A_TIME + 5 });
  for (const client of clients) client.destroy();
});
