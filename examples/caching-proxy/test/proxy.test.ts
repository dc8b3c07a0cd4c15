import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createProxy, type ProxyOptions } from '../src/proxy.ts';
import { createUpstream } from '../src/upstream.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const tiers = new Map([
  ['anna', 'gold'],
  ['boris', 'gold'],
  ['clara', 'basic'],
]);

/** A slow API whose answers the test gives, and the proxy before it; returns a client of the proxy. */
async function start(t: TestContext, options: Partial<ProxyOptions> = {}) {
  const calls = new EventEmitter();
  const asked: string[] = [];
  const api = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers['x-tier'] ?? request.headers.authorization}`);
    calls.emit('call', request, response);
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const time = { now: 0 };
  const proxy = await createProxy({
    upstream: createUpstream(`http://127.0.0.1:${(api.address() as AddressInfo).port}`),
    tierOf: (token) => tiers.get(token),
    clock: {
      now: () => time.now,
      setTimeout,
      clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
    },
    ...options,
  });
  const url = await proxy.listen({ port: 0, host: '127.0.0.1' });
  t.after(async () => {
    api.close();
    api.closeAllConnections();
    proxy.server.closeAllConnections();
    await proxy.close();
  });
  return {
    asked,
    url,
    time,
    ask: (path: string, user?: string, signal?: AbortSignal) =>
      fetch(url + path, { headers: user ? { authorization: user } : {}, signal: signal ?? null }),
    nextCall: async () => (await once(calls, 'call')) as Parameters<Answer>,
    answerCalls: (answer: Answer) => calls.on('call', answer),
    /** Resolves when so many requests have reached their handler or wait for another's. */
    requests(count: number) {
      const { promise, resolve } = deferred();
      let seen = 0;
      proxy.server.on('request', () => {
        seen += 1;
        if (seen === count) setImmediate(resolve);
      });
      return promise;
    },
  };
}

function deferred() {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

test('20 clients of one tier cost one call; another tier has its own; strangers share nothing', async (t) => {
  const { ask, asked, nextCall, requests } = await start(t);
  const all = requests(20);
  const first = nextCall();
  const answers = Array.from({ length: 20 }, (_, i) =>
    ask('/prices/lamp', i % 2 ? 'anna' : 'boris'),
  );
  const [, response] = await first;
  await all;
  json(response, { product: 'lamp', cents: 900 });
  for (const answer of await Promise.all(answers)) {
    assert.deepEqual(await answer.json(), { product: 'lamp', cents: 900 });
  }
  const second = nextCall().then(([, basic]) => json(basic, { product: 'lamp', cents: 1100 }));
  assert.deepEqual(await (await ask('/prices/lamp', 'clara')).json(), {
    product: 'lamp',
    cents: 1100,
  });
  await second;
  assert.equal((await ask('/prices/lamp')).status, 401);
  assert.deepEqual(asked, ['/prices/lamp gold', '/prices/lamp basic']);
});

test('what depends on the user is never shared by two users', async (t) => {
  const { ask, answerCalls } = await start(t);
  answerCalls(({ headers }, response) => json(response, { user: headers.authorization }));
  const users = ['anna', 'boris', 'anna', 'clara'];
  const answers = await Promise.all(users.map((user) => ask('/me', user)));
  const told = await Promise.all(
    answers.map((answer) => answer.json() as Promise<{ user: string }>),
  );
  assert.deepEqual(
    told.map(({ user }) => user),
    users,
  );
});

test('an old price answers at once while one call fetches the new one', async (t) => {
  const { ask, asked, nextCall, time } = await start(t);
  const priceNow = async () =>
    ((await (await ask('/prices/lamp', 'anna')).json()) as { cents: number }).cents;
  const first = nextCall().then(([, response]) => json(response, { cents: 1 }));
  assert.equal(await priceNow(), 1);
  await first;
  time.now += 6000;
  const renewal = nextCall();
  assert.deepEqual(await Promise.all([priceNow(), priceNow(), priceNow()]), [1, 1, 1]);
  const [, response] = await renewal;
  json(response, { cents: 2 });
  while ((await priceNow()) === 1);
  assert.equal(asked.length, 2);
});

test('a failure answers for a second, then the API is asked again', async (t) => {
  const { ask, asked, answerCalls, time } = await start(t);
  answerCalls((_request, response) => json(response, {}, 404));
  assert.equal((await ask('/prices/ghost', 'anna')).status, 404);
  assert.equal((await ask('/prices/ghost', 'boris')).status, 404);
  assert.equal(asked.length, 1);
  time.now += 1001;
  assert.equal((await ask('/prices/ghost', 'anna')).status, 404);
  assert.equal(asked.length, 2);
});

test('a price that takes too long is a 504, one above the bound a 503', async (t) => {
  const { ask, nextCall } = await start(t, { loadTimeoutMs: 300, maxKeys: 1 });
  const call = nextCall();
  const slow = ask('/prices/lamp', 'anna');
  await call;
  assert.equal((await ask('/prices/desk', 'anna')).status, 503);
  assert.equal((await slow).status, 504);
});

test('the call is aborted once the last client has left', async (t) => {
  const { ask, nextCall, requests } = await start(t);
  const both = requests(2);
  const call = nextCall();
  const leaving = new AbortController();
  const answers = ['anna', 'boris'].map((user) => ask('/prices/lamp', user, leaving.signal));
  const [, response] = await call;
  await both;
  leaving.abort();
  for (const answer of answers) await assert.rejects(answer, { name: 'AbortError' });
  if (!response.destroyed) await once(response, 'close');
  assert.equal(response.writableEnded, false);
});

test('the catalogue is fetched once, compressed for who accepts it, and not sent again unchanged', async (t) => {
  const { ask, asked, answerCalls, url } = await start(t);
  const products = Array.from({ length: 100 }, (_, index) => ({ product: `lamp ${index}` }));
  answerCalls((_request, response) => json(response, products));
  const get = (headers: Record<string, string>) =>
    fetch(`${url}/catalogue`, { headers: { authorization: 'anna', ...headers } });
  const codings = ['br', 'gzip', 'identity'];
  const answers = await Promise.all(codings.map((coding) => get({ 'accept-encoding': coding })));
  for (const [index, answer] of answers.entries()) {
    assert.equal(answer.headers.get('content-encoding') ?? 'identity', codings[index]);
    assert.deepEqual(await answer.json(), products);
  }
  const etag = answers[0]?.headers.get('etag') ?? '';
  assert.equal((await get({ 'if-none-match': etag })).status, 304);
  assert.equal((await ask('/catalogue')).status, 401);
  assert.equal(asked.length, 1);
});
