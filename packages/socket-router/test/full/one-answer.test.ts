import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ask, exchange, open, received } from '../clients.ts';
import { type OpenOptions, openRouter } from '../router-fixture.ts';

const CHUNKED = 'Host: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const get = (target: string, fields = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const statusesIn = (text: string) => text.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => line.slice(9));
const passthru: OpenOptions = { worker: 'raw-worker', count: 1, mode: 'passthru' };

/** Returns which requests a worker has got since it was asked last. */
async function seenBy(port: number): Promise<string[]> {
  return JSON.parse((await ask(port, { path: '/seen' })).text);
}

test('mode passthru: broken chunks behind a refusal get one answer [own-answer]', async () => {
  const { port } = await openRouter(passthru);
  const head = 'POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n';
  expect(statusesIn(await exchange(port, `${head}zz\r\n`))).toEqual(['501']);
  expect(await seenBy(port)).toEqual([]);
});

test('mode passthru: broken chunks before an answer get one, and the request ends at the worker [own-answer]', async () => {
  const { port, router } = await openRouter(passthru);
  const socket = await open(port);
  socket.write(`POST /one HTTP/1.1\r\n${CHUNKED}1\r\na\r\nzz\r\n`);
  const answer = await received(socket);
  expect(statusesIn(answer)).toEqual(['400']);
  expect(answer).toContain('"status":400');
  expect(router.stats()).toMatchObject({ handedOver: 1, refused: 1 });
  expect((await ask(port)).status).toBe(200);
});

test('mode passthru: broken chunks within an answer cut it off [own-answer]', async () => {
  const { port } = await openRouter(passthru);
  const socket = await open(port);
  socket.write(`POST /begun HTTP/1.1\r\n${CHUNKED}1\r\na\r\n`);
  const [begun] = await once(socket, 'data');
  socket.write('zz\r\n');
  const text = String(begun) + (await received(socket).catch(() => ''));
  expect(statusesIn(text)).toEqual(['200']);
  expect(text).not.toMatch(/0\r\n\r\n$/);
});

test.each(['\r\n \r\n\r\n', 'BAD\r\n\r\n', `POST / HTTP/1.1\r\n${CHUNKED}zz`])(
  'mode passthru: the answers to the requests before %j come first [own-answer]',
  async (broken) => {
    const { port } = await openRouter(passthru);
    const text = await exchange(port, get('/one') + get('/two') + broken);
    expect(statusesIn(text)).toEqual(['200', '200', '400']);
    expect(text.indexOf('"/one"')).toBeLessThan(text.indexOf('"/two"'));
  },
);

test('mode passthru: bytes behind the last request of a client change nothing [own-answer]', async () => {
  const { port } = await openRouter(passthru);
  const text = await exchange(port, `${get('/one', 'Connection: close\r\n')}${get('/two')}more`);
  expect(statusesIn(text)).toEqual(['200']);
  expect(await seenBy(port)).toEqual(['/one']);
});

test('mode passthru: what follows an answer of the router itself is not processed [own-answer]', async () => {
  const { port } = await openRouter({
    ...passthru,
    route: ({ target }) => (target === '/refused' ? { refuse: 403 } : undefined),
  });
  const text = await exchange(port, get('/one') + get('/refused') + get('/two').repeat(20));
  expect(statusesIn(text)).toEqual(['200', '403']);
  expect(await seenBy(port)).toEqual(['/one']);
});

test.each(['passthru', 'forward'] as const)(
  '%s: an upgrade behind a request that is not answered yet is refused after the answer [own-answer]',
  async (way) => {
    const route = ({ header }: { header?(name: string): string | undefined }) => ({
      slot: header?.('x-slot') ?? '0',
    });
    const env = { ROUTE: 'slots', UPGRADES: 'yes' };
    const forward: OpenOptions = {
      ...passthru,
      mode: 'socket',
      count: 2,
      laterRequests: 'forward',
      env,
      route,
    };
    const { port } = await openRouter(way === 'passthru' ? passthru : forward);
    const upgrade = 'X-Slot: 1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n';
    const text = await exchange(
      port,
      get('/one') + get('/two', 'X-Slot: 1\r\n') + get('/three', upgrade),
    );
    expect(statusesIn(text)).toEqual(['200', '200', '400']);
  },
);

test('laterRequests close: requests behind the first one do not run, whatever they ask for [own-answer]', async () => {
  const { port } = await openRouter({
    worker: 'raw-worker',
    count: 1,
    laterRequests: 'close',
    route: ({ target }) => (target === '/seen' ? undefined : { slot: '0' }),
  });
  const upgrade = get('/upgrade', 'Connection: upgrade\r\nUpgrade: x\r\n');
  const text = await exchange(port, get('/one') + get('/two').repeat(5) + upgrade);
  expect(statusesIn(text)).toEqual(['200']);
  expect(text).toMatch(/\r\nconnection: close\r\n/i);
  expect(await seenBy(port)).toEqual(['/one']);
});

test('laterRequests forward: what follows an answer without a worker is not processed [own-answer]', async () => {
  const { port } = await openRouter({
    worker: 'raw-worker',
    count: 2,
    laterRequests: 'forward',
    env: { ROUTE: 'slots' },
    route: ({ header }) => ({ slot: header?.('x-slot') ?? '0' }),
  });
  const refused = get('/refused', 'Connection: host\r\n');
  const text = await exchange(
    port,
    get('/one') + get('/two', 'X-Slot: 1\r\n') + refused + get('/three'),
  );
  expect(statusesIn(text)).toEqual(['200', '200', '400']);
  expect(await seenBy(port)).toEqual(['/one']);
});
