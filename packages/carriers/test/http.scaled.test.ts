import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CarrierHttpRequest } from '@ticketing/core';
import { isFullScale } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type CarrierHttpOptions, createCarrierHttp } from '../src/index.ts';
import { runs } from './scale.ts';
import { failureOf } from './upstream.ts';

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

function client(options: CarrierHttpOptions = {}) {
  const http = createCarrierHttp(options);
  onTestFinished(() => http.close());
  return { http, send: (request: CarrierHttpRequest) => http.clientOf('carrier').send(request) };
}

function get(url: string, more: Partial<CarrierHttpRequest> = {}): CarrierHttpRequest {
  const signal = new AbortController().signal;
  return { method: 'GET', url, signal, deadline: Date.now() + 5000, ...more };
}

test('send() gives status, headers, and the whole body as bytes of its own', async () => {
  const { url } = await serve((request, response) => {
    response.setHeader('x-path', String(request.url));
    response.write('one ');
    response.end('two');
  });
  const { body, ...answer } = await client({ now: () => 7_000 }).send(
    get(`${url}a?b=c`, { deadline: 12_000 }),
  );
  expect(answer).toMatchObject({
    status: 200,
    receivedAt: 7_000,
    headers: { 'x-path': '/a?b=c' },
  });
  expect(new TextDecoder().decode(body)).toBe('one two');
  expect(body.buffer.byteLength).toBe(7);
});

test.each([
  [400, 'BAD_REQUEST', false],
  [401, 'AUTH', false],
  [403, 'AUTH', false],
  [404, 'HTTP', false],
  [422, 'BAD_REQUEST', false],
  [429, 'RATE_LIMITED', true],
  [500, 'HTTP', true],
  [502, 'HTTP', true],
  [503, 'OVERLOADED', true],
])('send() makes status %i the error %s', async (httpStatus, code, retryable) => {
  const { url } = await serve((_request, response) => response.writeHead(httpStatus).end('no'));
  expect(await failureOf(() => client().send(get(url)))).toMatchObject({
    httpStatus,
    code,
    retryable,
  });
});

test.each([
  [302, undefined],
  [304, undefined],
  [400, 'BAD_REQUEST'],
  [404, 'HTTP'],
  [500, 'HTTP'],
  [503, 'OVERLOADED'],
])(
  'send() takes status %i for the answer, and leaves a body that never ends',
  async (status, code) => {
    const closed = deferred();
    const { url } = await serve((request, response) => {
      request.socket.once('close', closed.resolve);
      response.writeHead(status, { location: '/other', 'retry-after': '9' });
      if (status === 304) response.end();
      else response.write('x');
    });
    // A body that is waited for would end with this deadline, as TIMEOUT, or with the test's own.
    const { http, send } = client({ retries: 0 });
    const asked = send(get(url, { deadline: Date.now() + 600_000 }));
    if (code === undefined) expect(await asked).toMatchObject({ status, body: new Uint8Array() });
    else expect(await failureOf(() => asked)).toMatchObject({ code, httpStatus: status });
    expect(http.stats()).toMatchObject({ carrier: { inFlight: 0 } });
    if (status !== 304) await closed.promise;
  },
);

test('send() keeps the connection of an error whose body ends, and closes that of a large one', async () => {
  const sockets = new Set<unknown>();
  const { url } = await serve((request, response) => {
    sockets.add(request.socket);
    response
      .writeHead(404)
      .end(request.url === '/large' ? Buffer.alloc(10_000_000) : 'no such day');
  });
  const { send } = client({ connections: 1 });
  for (let round = 0; round < 3; round++) await failureOf(() => send(get(url)));
  expect(sockets.size).toBe(1);
  await failureOf(() => send(get(`${url}large`)));
  await failureOf(() => send(get(url)));
  expect(sockets.size).toBe(2);
});

test('send() keeps a body of 2 MiB by default, and refuses one byte more', async () => {
  const { url } = await serve((request, response) =>
    response.end(Buffer.alloc(2 * 1024 * 1024 + (request.url === '/more' ? 1 : 0))),
  );
  const { send } = client();
  expect((await send(get(url))).body.byteLength).toBe(2 * 1024 * 1024);
  expect(await failureOf(() => send(get(`${url}more`)))).toMatchObject({ code: 'PROTOCOL' });
});

test('send() refuses a body over its bound, and closes the connection', async () => {
  const closed = deferred();
  const { url } = await serve((request, response) => {
    request.socket.once('close', closed.resolve);
    const more = () => response.write(Buffer.alloc(64 * 1024)) && setImmediate(more);
    response.on('drain', more);
    more();
  });
  const error = await failureOf(() => client({ maxBodyBytes: 100_000 }).send(get(url)));
  expect(error).toMatchObject({
    code: 'PROTOCOL',
    message: 'Cannot read answer of `carrier`: it exceeds `maxBodyBytes` (100000)',
  });
  await closed.promise;
});

// Whole seconds are the shortest that a server can say.
test.runIf(isFullScale())('send() waits for Retry-After, then tries again', async () => {
  const arrivals: number[] = [];
  const { url } = await serve((_request, response) => {
    arrivals.push(performance.now());
    if (arrivals.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else response.end('ok');
  });
  const { http, send } = client();
  expect(await send(get(url))).toMatchObject({ status: 200 });
  expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThanOrEqual(990);
  expect(http.stats()).toEqual({ carrier: { inFlight: 0, sent: 2, retried: 1, refused: 0 } });
});

test('send() does not wait for a Retry-After beyond the deadline', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(503, { 'retry-after': '9' }).end(),
  );
  const { http, send } = client();
  expect(await failureOf(() => send(get(url)))).toMatchObject({
    code: 'OVERLOADED',
    retryAfterMs: 9000,
  });
  expect(http.stats()).toMatchObject({ carrier: { sent: 1 } });
});

test('send() reads Retry-After as a date', async () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const date = new Date(now + 60_000).toUTCString();
  const { url } = await serve((_request, response) =>
    response.writeHead(429, { 'retry-after': date }).end(),
  );
  const error = await failureOf(() =>
    client({ now: () => now }).send(get(url, { deadline: now + 1000 })),
  );
  expect(error.retryAfterMs).toBe(60_000);
});

test('send() stops waiting for Retry-After when the signal aborts', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(429, { 'retry-after': '4' }).end(),
  );
  const { http, send } = client();
  const controller = new AbortController();
  const asked = failureOf(() => send(get(url, { signal: controller.signal })));
  await vi.waitFor(() => expect(http.stats()).toMatchObject({ carrier: { retried: 1 } }), 60_000);
  controller.abort();
  expect(await asked).toMatchObject({ code: 'ABORTED' });
});

test('send() asks once more after a connection that broke, and no more than that', async () => {
  let arrived = 0;
  const { url } = await serve((request) => {
    arrived += 1;
    request.socket.destroy();
  });
  expect(await failureOf(() => client().send(get(url)))).toMatchObject({
    code: 'NETWORK',
    retryable: true,
  });
  expect(arrived).toBe(2);
});

test('send() ends a request at its deadline: one whose body drips, and one that waits for a socket', async () => {
  const held = deferred();
  const { url } = await serve((request, response) => {
    if (request.url !== '/drips') {
      held.resolve();
      return;
    }
    const drips = setInterval(() => response.write('x'), 20);
    response.once('close', () => clearInterval(drips));
  });
  const late = { code: 'TIMEOUT', message: 'Cannot ask `carrier`: its deadline has passed' };
  const soon = (): number => Date.now() + 200;
  expect(
    await failureOf(() => client().send(get(`${url}drips`, { deadline: soon() }))),
  ).toMatchObject(late);
  const { http, send } = client({ connections: 1 });
  const controller = new AbortController();
  const first = failureOf(() => send(get(url, { signal: controller.signal })));
  await held.promise;
  expect(await failureOf(() => send(get(url, { deadline: soon() })))).toMatchObject(late);
  expect(http.stats()).toMatchObject({ carrier: { inFlight: 1 } });
  controller.abort();
  await first;
  expect(http.stats()).toMatchObject({ carrier: { inFlight: 0 } });
});

test('send() makes an answer that breaks off NETWORK', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => request.socket.destroy());
  });
  expect(await failureOf(() => client({ retries: 0 }).send(get(url)))).toMatchObject({
    code: 'NETWORK',
  });
});

test('send() makes an answer that is no HTTP PROTOCOL', async () => {
  const { url } = await serve((request) => request.socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
  expect(await failureOf(() => client().send(get(url)))).toMatchObject({ code: 'PROTOCOL' });
});

test('send() keeps the reason of an abort that is a CarrierError', async () => {
  const { url } = await serve(() => {});
  const { CarrierError } = await import('@ticketing/core');
  const controller = new AbortController();
  const asked = failureOf(() => client().send(get(url, { signal: controller.signal })));
  controller.abort(new CarrierError('TIMEOUT', 'late'));
  expect(await asked).toMatchObject({ code: 'TIMEOUT', message: 'late' });
});

test('send() refuses requests above maxInFlight, and other carriers are not touched', async () => {
  const { url } = await serve((request, response) => {
    if (request.url === '/free') response.end();
  });
  const { http, send } = client({ maxInFlight: 2 });
  const controller = new AbortController();
  const held = [1, 2].map(() => failureOf(() => send(get(url, { signal: controller.signal }))));
  expect(await failureOf(() => send(get(url)))).toMatchObject({
    code: 'OVERLOADED',
    retryable: true,
  });
  expect(await http.clientOf('other').send(get(`${url}free`))).toMatchObject({ status: 200 });
  expect(http.stats()).toMatchObject({
    carrier: { inFlight: 2, refused: 1 },
    other: { refused: 0 },
  });
  controller.abort();
  await Promise.all(held);
  expect(http.stats()).toMatchObject({ carrier: { inFlight: 0 } });
});

test('close() ends requests under way, twice is once, and nothing is sent after it', async () => {
  let onRequest = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const { url } = await serve(() => onRequest());
  const { http, send } = client();
  const asked = failureOf(() => send(get(url)));
  await arrived;
  await http.close();
  await http.close();
  expect(await asked).toMatchObject({ code: 'NETWORK' });
  expect(await failureOf(() => send(get(url)))).toMatchObject({ code: 'NETWORK' });
});

test('send() with one signal for hundreds of requests leaves no listener on it', async () => {
  const { url } = await serve((_request, response) => response.end());
  const { send } = client();
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = function (this: AbortSignal, ...call: unknown[]) {
    listeners += 1;
    return Reflect.apply(addEventListener, this, call);
  };
  signal.removeEventListener = function (this: AbortSignal, ...call: unknown[]) {
    listeners -= 1;
    return Reflect.apply(removeEventListener, this, call);
  };
  for (let batch = 0; batch < runs(20); batch++) {
    await Promise.all(Array.from({ length: 50 }, () => send(get(url, { signal }))));
  }
  expect(listeners).toBe(0);
});
