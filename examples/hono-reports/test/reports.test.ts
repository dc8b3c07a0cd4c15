import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createAdaptorServer } from '@hono/node-server';
import { type AppOptions, createApp } from '../src/app.ts';
import { createUpstream } from '../src/upstream.ts';

async function listen(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A slow API whose answers the test gives, and the service before it; returns a client of the service. */
async function start(t: TestContext, options: Partial<AppOptions> = {}) {
  const calls: { readonly request: IncomingMessage; readonly response: ServerResponse }[] = [];
  const api = await listen(
    t,
    createServer((request, response) => calls.push({ request, response })),
  );
  const { app, reports } = createApp({ upstream: createUpstream(api), ...options });
  const url = await listen(t, createAdaptorServer({ fetch: app.fetch }) as Server);
  return {
    calls,
    ask: (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(url + path, { headers, signal: signal ?? null }),
    asked: (count: number) => until(() => reports.stats().asked === count),
  };
}

/** Resolves when something that other processes or sockets bring about is so. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

const english = { 'accept-language': 'en' };

test('20 clients of one language cost one call; another language has its own', async (t) => {
  const { ask, asked, calls } = await start(t);
  const answers = Array.from({ length: 20 }, (_, index) =>
    ask('/reports/7', { ...english, authorization: `user ${index}` }),
  );
  answers.push(ask('/reports/7', { 'accept-language': 'de' }));
  await asked(21);
  await until(() => calls.length === 2);
  for (const { request, response } of calls)
    response.end(JSON.stringify(request.headers['accept-language']));
  const bodies = await Promise.all(answers.map(async (answer) => (await answer).json()));
  assert.deepEqual(bodies, [...Array(20).fill('en'), 'de']);
});

test('a user gets only reports of their own', async (t) => {
  const { ask, calls } = await start(t);
  const answers = ['anna', 'boris'].map((authorization) => ask('/mine', { authorization }));
  await until(() => calls.length === 2);
  for (const { request, response } of calls)
    response.end(JSON.stringify(request.headers.authorization));
  const bodies = await Promise.all(answers.map(async (answer) => (await answer).json()));
  assert.deepEqual(bodies, ['anna', 'boris']);
  assert.equal((await ask('/mine')).status, 401);
});

test('the call of the API is aborted when the last client has left, and nothing is logged', async (t) => {
  const log = t.mock.method(console, 'error', () => {});
  const { ask, asked, calls } = await start(t);
  const clients = [new AbortController(), new AbortController()];
  const answers = clients.map(({ signal }) => ask('/reports/7', english, signal));
  await asked(2);
  await until(() => calls.length === 1);
  const response = calls[0]?.response as ServerResponse;
  const closed = once(response, 'close');
  for (const client of clients) client.abort();
  await Promise.allSettled(answers);
  await closed;
  assert.equal(response.writableEnded, false);
  const next = ask('/reports/7', english);
  await until(() => calls.length === 2);
  calls[1]?.response.end('"again"');
  assert.equal(await (await next).json(), 'again');
  assert.equal(log.mock.callCount(), 0);
});

test('a report too many is 503 with Retry-After, a late one 504', async (t) => {
  const full = await start(t, { maxReports: 1 });
  const first = full.ask('/reports/1');
  await full.asked(1);
  const refused = await full.ask('/reports/2');
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(((await refused.json()) as { code: string }).code, 'ERR_TOO_MANY_KEYS');
  await until(() => full.calls.length === 1);
  full.calls[0]?.response.end('1');
  assert.equal((await first).status, 200);

  const late = await (await start(t, { timeoutMs: 50 })).ask('/reports/1');
  assert.equal(late.status, 504);
  assert.equal(((await late.json()) as { code: string }).code, 'ERR_LOAD_TIMEOUT');
});
