import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { Head } from '../src/index.ts';
import { ask, askWorker, exchange, open, received, workerReplyIn } from './clients.ts';
import { nextEvent, openJournal, openRouter } from './router-fixture.ts';

/** Returns the first line that the server sends, before the client has sent anything. */
async function greeting(socket: Socket): Promise<string> {
  const [line] = await once(socket, 'data');
  return line.toString().trimEnd();
}

test('protocol tcp: a worker gets a connection before the client has sent a byte', async () => {
  const { port, pids, router } = await openRouter({ worker: 'greeting-worker', protocol: 'tcp' });
  const clients = await Promise.all([open(port), open(port)]);
  const greetings = await Promise.all(clients.map(greeting));
  const expected = pids().map((pid) => `${pid} greets 127.0.0.1`);
  expect(greetings.sort()).toEqual(expected.sort());
  for (const client of clients) client.end('said');
  expect(await Promise.all(clients.map(received))).toEqual(['said', 'said']);
  await until(() => router.stats().handedOver === 2);
  expect(router.stats()).toMatchObject({ accepted: 2, reading: 0, refused: 0 });
});

test('protocol tcp: what has arrived before the hand-over, and what comes after, reaches the worker', async () => {
  const { port } = await openRouter({ protocol: 'tcp' });
  const body = randomBytes(3 * 1024 * 1024);
  const head = `POST /md5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => exchange(port, Buffer.concat([Buffer.from(head), body]))),
  );
  const md5 = createHash('md5').update(body).digest('hex');
  expect(answers.map((answer) => workerReplyIn(answer).md5)).toEqual(Array(6).fill(md5));
});

test('protocol tcp: route sees the address and nothing else; the worker does not know when a request came', async () => {
  const heads: Head[] = [];
  const route = (head: Head) => {
    heads.push({ ...head, remoteAddress: head.remoteAddress });
    return { slot: '1' };
  };
  const { port, pids } = await openRouter({ protocol: 'tcp', route });
  const reply = await askWorker(port);
  expect(heads).toEqual([{ kind: 'tcp', remoteAddress: '127.0.0.1' }]);
  expect(reply).toMatchObject({ pid: pids()[1], arrived: null });
});

test('protocol tcp: a PROXY header is read, and no more', async () => {
  const heads: Head[] = [];
  const { port } = await openRouter({
    worker: 'greeting-worker',
    protocol: 'tcp',
    proxyProtocol: { trusted: ['127.0.0.1'] },
    route: (head) => {
      heads.push(head);
      return undefined;
    },
  });
  const client = await open(port);
  client.write('PROXY TCP4 192.0.2.7 198.51.100.1 65000 443\r\n');
  expect(await greeting(client)).toMatch(/^\d+ greets 192\.0\.2\.7$/);
  client.end('said');
  expect(await received(client)).toBe('said');
  const early = await open(port);
  early.end('PROXY TCP4 192.0.2.8 198.51.100.1 65000 443\r\nsaid early');
  expect(await received(early)).toMatch(/^\d+ greets 192\.0\.2\.8\nsaid early$/);
  const addresses = heads.map(({ kind, remoteAddress }) => `${kind} ${remoteAddress}`);
  expect(addresses).toEqual(['tcp 192.0.2.7', 'tcp 192.0.2.8']);
});

test('protocol tcp: what came with a PROXY header reaches a worker of forkWorkers, whose channel speaks JSON', async () => {
  const { port } = await openRouter({
    worker: 'greeting-worker',
    own: true,
    count: 1,
    protocol: 'tcp',
    proxyProtocol: { trusted: ['127.0.0.1'] },
  });
  for (const length of [100, 30_000]) {
    const said = randomBytes(length);
    const header = Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 65000 443\r\n');
    const client = await open(port);
    client.end(Buffer.concat([header, said]));
    const all = await buffer(client);
    expect(all.subarray(all.indexOf('\n') + 1).equals(said)).toBe(true);
  }
});

test('protocol tcp: what is refused or answered by the route is closed without an answer', async () => {
  const kinds = [{ refuse: 403 }, { answer: { status: 200, body: 'hello' } }];
  const { port, router } = await openRouter({
    count: 1,
    protocol: 'tcp',
    route: () => kinds.shift(),
  });
  const refused = nextEvent(router, 'refused');
  expect(await received(await open(port))).toBe('');
  expect(await refused).toEqual({ status: 403, reason: 'route' });
  expect(await received(await open(port))).toBe('');
  expect((await ask(port)).status).toBe(200);
  // The answer may be here before the router has read the claim.
  await until(() => router.stats().handedOver === 1);
  expect(router.stats()).toMatchObject({ accepted: 3, refused: 1, answered: 1 });
});

test('protocol tcp: a worker is killed with connections on their way: each runs once, in the other worker', async () => {
  const journal = openJournal();
  const { router, port, pids } = await openRouter({
    own: true,
    env: { JOURNAL: journal.path },
    protocol: 'tcp',
    limits: { claimTimeoutMs: 60_000 },
    route: () => ({ key: 'a' }),
  });
  const { pid: home } = await askWorker(port);
  process.kill(home, 'SIGSTOP');
  const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
  const answers = paths.map((path) => exchange(port, requestOf(path)));
  const queued = () => router.stats().workers.find(({ pid }) => pid === home)?.queued;
  await until(() => queued() === paths.length);
  process.kill(home, 'SIGKILL');
  const replies = (await Promise.all(answers)).map(workerReplyIn);
  expect(replies.map(({ url }) => url)).toEqual(paths);
  expect(pids()).not.toContain(home);
  const run = journal.requests().filter(({ url }) => url !== '/');
  expect(run.map(({ url }) => url).sort()).toEqual([...paths].sort());
});

function requestOf(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
}
