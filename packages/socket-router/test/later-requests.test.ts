import { once } from 'node:events';
import { expect, test } from 'vitest';
import { askWorker, exchange, oneConnection, open, workerReplyIn } from './clients.ts';
import { byKey, keyed, keys } from './keyed-workers.ts';
import { openRouter } from './router-fixture.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('laterRequests connection: later requests with other keys stay', async () => {
  const { port, pids } = await openRouter(byKey);
  const agent = oneConnection();
  for (const key of [keys[1] ?? '', ...keys, ...keys]) {
    expect((await askWorker(port, { agent, ...keyed(key) })).pid).toBe(pids()[1]);
  }
  agent.destroy();
});

test('laterRequests forward: each request is answered by the worker of its key, bodies and all', async () => {
  const { port, pids } = await openRouter({ ...byKey, laterRequests: 'forward' });
  const agent = oneConnection();
  const body = Buffer.alloc(2_000_000, 'body');
  for (let round = 0; round < 3; round++) {
    for (const [slot, key] of keys.entries()) {
      const reply = await askWorker(port, {
        agent,
        method: 'POST',
        body,
        path: `/${round}`,
        ...keyed(key),
      });
      expect(reply).toMatchObject({
        pid: pids()[slot],
        bytes: body.length,
        method: 'POST',
        url: `/${round}`,
      });
    }
  }
  const { headers } = await askWorker(port, {
    agent,
    headers: { 'x-key': keys[1] ?? '', traceparent: TRACEPARENT },
  });
  expect(headers['traceparent']).toBe(TRACEPARENT);
  const { stats } = await askWorker(port, { agent, ...keyed(keys[0] ?? '') });
  expect(stats).toEqual({ connections: 1, claimed: 1, requests: 11, forwarded: 7 });
  agent.destroy();
});

test('laterRequests forward: an offer of another protocol with a body is answered, body and all', async () => {
  const { port } = await openRouter({ ...byKey, laterRequests: 'forward' });
  const socket = await open(port);
  const offer = (key: string | undefined): string =>
    `POST / HTTP/1.1\r\nHost: a\r\nX-Key: ${key}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nbody`;
  for (const key of keys) {
    socket.write(offer(key));
    const [answer] = await once(socket, 'data');
    expect(workerReplyIn(String(answer)).bytes).toBe(4);
  }
  socket.destroy();
});

test('laterRequests close: a connection with a key carries one request', async () => {
  const { port, pids } = await openRouter({ ...byKey, laterRequests: 'close' });
  for (const [slot, key] of keys.entries()) {
    const answer = await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\nX-Key: ${key}\r\n\r\n`);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain(`"pid":${pids()[slot]}`);
  }
});

test('laterRequests close: a connection routed to a slot carries one request', async () => {
  const route = () => ({ slot: '0' });
  const { port } = await openRouter({ count: 1, laterRequests: 'close', route });
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test('laterRequests close: a connection without a key is kept', async () => {
  const { port } = await openRouter({ count: 1, laterRequests: 'close' });
  const socket = await open(port);
  for (let request = 0; request < 3; request++) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = await new Promise<Buffer[]>((resolve) =>
      socket.once('data', (chunk) => resolve([chunk])),
    );
    expect(String(answer)).not.toMatch(/connection: close/i);
  }
  socket.destroy();
});
