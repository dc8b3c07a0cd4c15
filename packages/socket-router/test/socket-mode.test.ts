import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
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
import { openRouter } from './router-fixture.ts';

const ONE_REQUEST = 'GET /one HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

function post(body: Buffer): Buffer {
  const head = `POST /md5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

test('a head may come byte by byte', async () => {
  const { port } = await openRouter({ count: 1 });
  const socket = await open(port);
  const answer = received(socket);
  for (const byte of ONE_REQUEST) {
    socket.write(byte);
    await setImmediate();
  }
  expect(workerReplyIn(await answer).url).toBe('/one');
});

test.each([
  ['by a file', true],
  ['on the channel', false],
])(
  'what the router reads is more than one read of the channel: nothing is lost, %s',
  async (_way, own) => {
    const { port } = await openRouter({ count: 1, own, limits: { headBytes: 65_536 } });
    const bodies = Array.from({ length: 16 }, () => randomBytes(600_000));
    const long = `X-Long: ${'x'.repeat(15_000)}`;
    const head = `POST /md5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${long}\r\nContent-Length: 600000\r\n\r\n`;
    const answers = await Promise.all(
      bodies.map((body) => exchange(port, Buffer.concat([Buffer.from(head), body]))),
    );
    const sums = bodies.map((body) => createHash('md5').update(body).digest('hex'));
    expect(answers.map((answer) => workerReplyIn(answer).md5)).toEqual(sums);
  },
);

test('requests that come in one piece are all answered, by one worker, in their order', async () => {
  const { port } = await openRouter();
  const keep = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const answers = await exchange(port, keep('/first') + keep('/second') + ONE_REQUEST);
  const urls = [...answers.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url);
  expect(urls).toEqual(['/first', '/second', '/one']);
  expect(new Set([...answers.matchAll(/"pid":(\d+)/g)].map(([, pid]) => pid)).size).toBe(1);
});

test('a client that has closed its side is answered', async () => {
  const { port } = await openRouter({ count: 1 });
  const socket = await open(port);
  socket.end(ONE_REQUEST);
  expect(workerReplyIn(await received(socket)).url).toBe('/one');
});

test('a client that closes its side within the body gets 400 or nothing, and the router serves on', async () => {
  const { port } = await openRouter({ count: 1 });
  const socket = await open(port);
  socket.end(post(Buffer.alloc(1000)).subarray(0, 500));
  expect(await received(socket)).toMatch(/^(HTTP\/1\.1 400 |$)/);
  expect((await ask(port)).status).toBe(200);
});

test('connections go to the least loaded worker, later requests stay', async () => {
  const { port } = await openRouter({ count: 2 });
  const [one, other] = [oneConnection(), oneConnection()];
  const first = await askWorker(port, { agent: one });
  const second = await askWorker(port, { agent: other });
  expect(second.pid).not.toBe(first.pid);
  for (let request = 0; request < 5; request++) {
    expect((await askWorker(port, { agent: one })).pid).toBe(first.pid);
    expect((await askWorker(port, { agent: other })).pid).toBe(second.pid);
  }
  one.destroy();
  other.destroy();
});

test('workers see the client and its address', async () => {
  const { port } = await openRouter({ count: 1 });
  const socket = await open(port);
  const { localPort } = socket;
  socket.write(ONE_REQUEST);
  expect(workerReplyIn(await received(socket))).toMatchObject({
    remoteAddress: '127.0.0.1',
    remotePort: localPort,
  });
});
