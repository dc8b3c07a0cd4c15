// Three replicas that answer, hang or fail as a test says, and a real client of the service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { HedgeOptions } from '@ticketing/dispatch-wrappers';
import { createReads } from '../src/reads.ts';
import { createReadServer } from '../src/server.ts';

type Answer = (response: ServerResponse, url: string) => void;

const answer: Answer = (response, url) => void response.end(JSON.stringify({ text: `at ${url}` }));

async function listen(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function start(t: TestContext, hedge: HedgeOptions, replica: Answer) {
  /** Requests to replicas: all, and those that were given up. */
  const requests = { asked: 0, left: 0 };
  const replicas = [0, 1, 2].map(() =>
    createServer(({ url = '' }, response) => {
      requests.asked += 1;
      response.once('close', () => {
        if (!response.writableEnded) requests.left += 1;
      });
      replica(response, url);
    }),
  );
  const urls = await Promise.all(replicas.map((each) => listen(t, each)));
  const reads = createReads(urls, hedge);
  await reads.ready();
  t.after(() => reads.close());
  const url = await listen(t, createReadServer(reads));
  const get = async (path: string, signal?: AbortSignal) => {
    const response = await fetch(url + path, { signal: signal ?? null });
    return { status: response.status, body: await response.json() };
  };
  return { get, reads, requests };
}

test('a replica that hangs costs its reads 20 ms, and is given up', async (t) => {
  let hanging = 0;
  const { get, requests } = await start(t, { afterMs: 20, share: 1 }, (response, url) => {
    if (hanging++ > 0) answer(response, url);
  });
  assert.deepEqual(await get('/items/7'), { status: 200, body: { text: 'at /items/7' } });
  while (requests.left < 1) await turn();
  assert.equal(requests.asked, 2);
  const { body } = await get('/stats');
  assert.deepEqual(body, { asked: 1, hedged: 1, won: 1, withheld: 0, noRoom: 0 });
});

test('an item that no replica has is asked for once', async (t) => {
  const { get, requests } = await start(t, { afterMs: 60_000 }, (response) => {
    response.writeHead(404).end();
  });
  assert.equal((await get('/items/none')).status, 404);
  assert.equal(requests.asked, 1);
});

test('when all replicas hang, one read in twenty is asked twice: they are not made slower still', async (t) => {
  const held: (() => void)[] = [];
  const { get, reads, requests } = await start(t, { afterMs: 1, share: 0.05 }, (response, url) => {
    held.push(() => answer(response, url));
  });
  const answers = Array.from({ length: 40 }, (_, id) => get(`/items/${id}`));
  const slow = () => reads.stats().hedge.hedged + reads.stats().hedge.withheld;
  while (slow() < 40 || requests.asked < 42) await turn();
  assert.equal(reads.stats().hedge.hedged, 2);
  for (const release of held) release();
  assert.deepEqual([...new Set((await Promise.all(answers)).map(({ status }) => status))], [200]);
});

test('a client that leaves ends both reads of its item', async (t) => {
  const { get, reads, requests } = await start(t, { afterMs: 1, share: 1 }, () => {});
  const leaving = new AbortController();
  const gone = get('/items/1', leaving.signal).catch(({ name }: Error) => name);
  while (requests.asked < 2) await turn();
  leaving.abort();
  while (requests.left < 2) await turn();
  assert.equal(await gone, 'AbortError');
  while (reads.stats().running > 0) await turn();
  assert.equal(reads.stats().aborted, 1);
});
