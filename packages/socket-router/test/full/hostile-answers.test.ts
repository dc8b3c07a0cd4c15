import { once } from 'node:events';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, exchange, open, received } from '../clients.ts';
import { PIECES } from '../fixtures/head-corpus.ts';
import { mutate } from '../fixtures/mutate.ts';
import { block, unixPaths } from '../fixtures/proxy-header.ts';
import { createRandom } from '../fixtures/random.ts';
import { type OpenOptions, openRouter } from '../router-fixture.ts';

const passthru: OpenOptions = { worker: 'raw-worker', count: 1, mode: 'passthru' };
const forward: OpenOptions = {
  worker: 'raw-worker',
  count: 2,
  laterRequests: 'forward',
  env: { ROUTE: 'slots' },
  route: ({ header }) => ({ slot: header?.('x-slot') ?? '0' }),
};
const WAYS = [
  ['passthru', passthru],
  ['forward', forward],
] as const;
const FIRST = 'GET /first HTTP/1.1\r\nHost: a\r\n\r\n';

/** Asks a worker, with `forward` one that another worker forwards to, for an answer of these bytes. */
async function askFor(
  port: number,
  raw: string,
  fields = 'Connection: close\r\n',
): Promise<string> {
  const encoded = Buffer.from(raw, 'latin1').toString('base64');
  const socket = await open(port);
  socket.write(FIRST);
  await once(socket, 'data');
  socket.write(`GET /raw HTTP/1.1\r\nHost: a\r\nX-Slot: 1\r\nX-Raw: ${encoded}\r\n${fields}\r\n`);
  return received(socket);
}

const LENGTH = 'Content-Length: 2\r\n\r\nok';
const WRONG = {
  'a control character in its reason': `HTTP/1.1 200 O\x01K\r\n${LENGTH}`,
  'the status 000': `HTTP/1.1 000 X\r\n${LENGTH}`,
  'the status 099': `HTTP/1.1 099 X\r\n${LENGTH}`,
  'a second coding':
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'another coding': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok',
  'a switch that was not asked for': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'a switch to what was not asked for':
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
};

test.each(WAYS)(
  '%s: an answer that cannot be passed on is 502, and the router serves on [worker-bytes]',
  async (_, options) => {
    const { port } = await openRouter(options);
    for (const [name, raw] of Object.entries(WRONG)) {
      expect(await askFor(port, raw), name).toMatch(/^HTTP\/1\.1 502 /);
    }
    expect((await ask(port)).status).toBe(200);
  },
);

test.each(WAYS)(
  '%s: an upgrade that is answered with bytes of no answer is 502, and the router serves on [worker-bytes]',
  async (_, options) => {
    const { port } = await openRouter(options);
    const { 'a switch to what was not asked for': asked, ...others } = WRONG;
    const upgrade = 'Connection: upgrade\r\nUpgrade: x\r\n';
    for (const [name, raw] of Object.entries(others)) {
      expect(await askFor(port, raw, upgrade), name).toMatch(/^HTTP\/1\.1 502 /);
    }
    expect((await ask(port)).status).toBe(200);
    const socket = await open(port);
    const encoded = Buffer.from(asked).toString('base64');
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Raw: ${encoded}\r\n${upgrade}\r\n`);
    if (options === passthru)
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
    socket.destroy();
  },
);

const GOOD = [
  `HTTP/1.1 200 OK\r\n${LENGTH}`,
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'HTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\nTrailer: x\r\n\r\n',
  'HTTP/1.0 404 Not Found\r\nConnection: close\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\ntext',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes',
].map((text) => Buffer.from(text, 'latin1'));

test('mode passthru: the router still serves after 300 changed answers to requests and upgrades [worker-bytes]', async () => {
  const { port } = await openRouter(passthru);
  const random = createRandom(1);
  for (let round = 0; round < 30; round += 1) {
    const sockets = Array.from({ length: 10 }, async () => {
      const raw = mutate(random.oneOf(GOOD), PIECES, random).toString('base64');
      const upgrade = random.oneOf(['', 'Connection: upgrade\r\nUpgrade: x\r\n']);
      const socket = await open(port);
      socket.on('error', () => {});
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Raw: ${raw}\r\n${upgrade}\r\n`);
      return socket;
    });
    const opened = await Promise.all(sockets);
    // The next one may get a connection that the worker is about to close.
    expect([200, 502]).toContain((await ask(port)).status);
    for (const socket of opened) socket.destroy();
  }
  await until(async () => (await ask(port)).status === 200);
});

test.each(WAYS)(
  '%s: fields that any of the Connection fields of an answer names are not passed on',
  async (_, options) => {
    const { port } = await openRouter(options);
    const answer = await askFor(
      port,
      `HTTP/1.1 200 OK\r\nConnection: X-Secret\r\nConnection: close\r\nX-Secret: s\r\nX-Ok: 1\r\nTrailer: X\r\n${LENGTH}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Ok: 1\r\n/);
    expect(answer).not.toMatch(/secret|trailer/i);
  },
);

test.each(WAYS)('%s: the head of an answer may be as long as `headBytes`', async (_, options) => {
  const { port } = await openRouter({ ...options, limits: { headBytes: 40_000 } });
  const get = async (bytes: number): Promise<string> => {
    const socket = await open(port);
    socket.write(FIRST);
    await once(socket, 'data');
    socket.write(
      `GET /?large=${bytes} HTTP/1.1\r\nHost: a\r\nX-Slot: 1\r\nConnection: close\r\n\r\n`,
    );
    return (await received(socket)).slice(0, 13);
  };
  expect(await Promise.all([17_000, 39_000, 41_000].map(get))).toEqual([
    'HTTP/1.1 200 ',
    'HTTP/1.1 200 ',
    'HTTP/1.1 502 ',
  ]);
});

test.each(WAYS)(
  '%s: informational answers and trailers are not passed on, either way',
  async (_, options) => {
    const { port } = await openRouter(options);
    const chunks =
      'Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n\r\n1\r\na\r\n0\r\nX-Trailer: sent\r\n\r\n';
    for (const path of ['/hints', '/trailers']) {
      const socket = await open(port);
      socket.write(FIRST);
      await once(socket, 'data');
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Slot: 1\r\nConnection: close\r\n${chunks}`,
      );
      const answer = await received(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
      expect(answer).toContain('"trailers":{}');
      expect(answer).not.toMatch(/x-trailer|preload/i);
    }
  },
);

test.each(WAYS)('%s: a request without a body gets no field about one', async (_, options) => {
  const { port } = await openRouter(options);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
    const socket = await open(port);
    socket.write(FIRST);
    await once(socket, 'data');
    socket.write(
      `${method} / HTTP/1.1\r\nHost: a\r\nX-Slot: 1\r\nX-One: 1\r\nX-Two: a\r\nX-Two: b\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    socket.destroy();
    const { headers } = JSON.parse(String(answer).split('\r\n\r\n')[1] ?? '');
    expect(Object.keys(headers), method).not.toContain('transfer-encoding');
    expect(Object.keys(headers), method).not.toContain('content-length');
    expect(headers).toMatchObject({ host: 'a', 'x-one': '1', 'x-two': 'a, b' });
  }
});

test('mode passthru: whole addresses with any scheme in capitals, and its default port, reach the worker', async () => {
  const { port } = await openRouter(passthru);
  for (const target of ['HTTP://A/x', 'http://a:80/x', 'Https://a:443/x']) {
    const answer = await exchange(
      port,
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toContain(`"url":"${target}"`);
  }
});

test.each(['socket', 'passthru'] as const)(
  'mode %s: the path of a unix socket in a PROXY header is no member of X-Forwarded-For, and ends nothing [forwarded-fields]',
  async (mode) => {
    const { port } = await openRouter({
      ...passthru,
      mode,
      proxyProtocol: { trusted: ['127.0.0.1'] },
    });
    for (const path of ['/x, 10.0.0.1', '/x\r\nx-admin: 1']) {
      const header = block(0x21, 0x31, unixPaths(path, '/y'));
      const fields = 'Host: a\r\nX-Forwarded-For: 192.0.2.1\r\n';
      for (const more of ['Connection: close\r\n', 'Connection: upgrade\r\nUpgrade: x\r\n']) {
        const request = Buffer.from(`GET / HTTP/1.1\r\n${fields}${more}\r\n`);
        const socket = await open(port);
        socket.write(Buffer.concat([header, request]));
        let answer = '';
        for await (const chunk of socket) {
          answer += chunk;
          if (answer.endsWith('}')) break;
        }
        const { headers } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
        expect(headers['x-admin']).toBeUndefined();
        const members = String(headers['x-forwarded-for']).split(', ');
        expect(members).toEqual(mode === 'passthru' ? ['192.0.2.1', 'unknown'] : ['192.0.2.1']);
        socket.destroy();
      }
    }
  },
);
