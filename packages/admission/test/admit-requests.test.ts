import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { admitRequests } from '../src/http/index.ts';
import { admissionFor, held, listen, untilStats, waitedHalf } from './serve-held.ts';

test('admitRequests(): above the limit requests wait, and begin in their order', async () => {
  const work = held();
  const admission = admissionFor({ maxInFlight: 1 });
  const server = createServer(work.listener);
  admitRequests(server, { admission });
  const { get } = await listen(server);
  const first = get('/1');
  await untilStats(admission, { inFlight: 1 });
  const second = get('/2');
  await untilStats(admission, { waiting: 1 });
  const third = get('/3');
  await untilStats(admission, { waiting: 2 });
  expect(work.begun).toEqual(['/1']);
  work.open();
  const answers = await Promise.all([first, second, third]);
  expect(answers.map(({ body }) => body)).toEqual(['answer of /1', 'answer of /2', 'answer of /3']);
  expect(work.begun).toEqual(['/1', '/2', '/3']);
  await untilStats(admission, { inFlight: 0, waiting: 0, admitted: 3 });
});

test('a request that has waited for half of the deadline is answered 503, and never begins', async () => {
  const work = held();
  const admission = admissionFor({ maxInFlight: 1, deadlineMs: 20_000 });
  const server = createServer(work.listener);
  const arrivedAt = waitedHalf('/2', 20_000);
  admitRequests(server, { admission, arrivedAt });
  const { get } = await listen(server);
  const first = get('/1');
  await untilStats(admission, { inFlight: 1 });
  const { status, headers, body } = await get('/2');
  expect(status).toBe(503);
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'retry-after': '1',
    'cache-control': 'no-store',
  });
  expect(JSON.parse(body)).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'ERR_EXPIRED',
    detail: 'The request waited so long that it could not be answered in time',
  });
  work.open();
  expect((await first).status).toBe(200);
  expect(work.begun).toEqual(['/1']);
  expect(admission.stats().refused).toEqual({ busy: 0, late: 1 });
});

test('isExempt: such a request is answered while others wait', async () => {
  const work = held();
  const admission = admissionFor({ maxInFlight: 1 });
  const server = createServer((request, response) => {
    if (request.url === '/health') response.end('ok');
    else work.listener(request, response);
  });
  admitRequests(server, { admission, isExempt: ({ url }) => url === '/health' });
  const { get } = await listen(server);
  const first = get('/1');
  await untilStats(admission, { inFlight: 1 });
  expect((await get('/health')).body).toBe('ok');
  work.open();
  await first;
});

test('a request whose client leaves while it waits never begins', async () => {
  const work = held();
  const admission = admissionFor({ maxInFlight: 1 });
  const server = createServer(work.listener);
  admitRequests(server, { admission });
  const { get, ask } = await listen(server);
  const first = get('/1');
  await untilStats(admission, { inFlight: 1 });
  const second = ask('/2');
  await untilStats(admission, { waiting: 1 });
  second.leave();
  await untilStats(admission, { waiting: 0, left: 1 });
  work.open();
  await first;
  expect(work.begun).toEqual(['/1']);
});

test('keyOf: requests of one key share a place, and one that joins work under way takes none', async () => {
  const work = held();
  const underWay = new Set<string>();
  const admission = admissionFor({ maxInFlight: 1, isUnderWay: (key) => underWay.has(key) });
  const server = createServer((request, response) => {
    underWay.add(request.url ?? '');
    work.listener(request, response);
  });
  admitRequests(server, { admission, keyOf: ({ url }) => url });
  const { get } = await listen(server);
  const answers = [get('/a')];
  await untilStats(admission, { inFlight: 1 });
  answers.push(get('/a'));
  await untilStats(admission, { inFlight: 1, admitted: 2, joined: 1 });
  answers.push(get('/b'), get('/b'));
  await untilStats(admission, { inFlight: 1, waiting: 1 });
  work.open();
  await Promise.all(answers);
  expect(work.begun.sort()).toEqual(['/a', '/a', '/b', '/b']);
});

test('refuse: the server answers in its own way; arrivedAt: another process knows better when the request arrived', async () => {
  const work = held();
  const admission = admissionFor({ deadlineMs: 1000 });
  const server = createServer(work.listener);
  admitRequests(server, {
    admission,
    arrivedAt: () => performance.now() - 1000,
    refuse: (response, reason) => response.writeHead(429).end(`${response.req.url} is ${reason}`),
  });
  const { get } = await listen(server);
  expect(await get('/1')).toMatchObject({ status: 429, body: '/1 is late' });
  expect(work.begun).toEqual([]);
});

test('a request that many wait before is answered 503 at once, with the code of an overload', async () => {
  const admission = admissionFor({ maxInFlight: 1 });
  const server = createServer(held().listener);
  admitRequests(server, { admission });
  const { get } = await listen(server);
  const apply = () =>
    admission.apply({ arrivedAt: admission.arrivedAt(), begin: () => {}, refuse: () => {} });
  apply();
  await untilStats(admission, { inFlight: 1 });
  for (let index = 0; index < 1000; index++) apply();
  const { status, headers, body } = await get('/1');
  expect(status).toBe(503);
  expect(Number(headers['content-length'])).toBe(body.length);
  expect(JSON.parse(body)).toMatchObject({
    code: 'ERR_OVERLOADED',
    detail: 'More requests are waiting than can be answered in time',
  });
});

test('a request begins in the async context in which it was read', async () => {
  const context = new AsyncLocalStorage<string>();
  const work = held();
  const seen: (string | undefined)[] = [];
  const admission = admissionFor({ maxInFlight: 1 });
  const server = createServer((request, response) => {
    seen.push(context.getStore());
    work.listener(request, response);
  });
  admitRequests(server, { admission });
  // As a tracer does.
  const emit = server.emit.bind(server) as (...values: unknown[]) => boolean;
  server.emit = ((...values: [string, { url: string }]) =>
    values[0] === 'request'
      ? context.run(values[1].url, () => emit(...values))
      : emit(...values)) as never;
  const { get } = await listen(server);
  const answers = [get('/1')];
  await untilStats(admission, { inFlight: 1 });
  answers.push(get('/2'), get('/3'));
  await untilStats(admission, { waiting: 2 });
  work.open();
  await Promise.all(answers);
  expect(seen.sort()).toEqual(['/1', '/2', '/3']);
  expect(seen).toEqual(work.begun);
});

test('a request that expects 100 Continue waits too; without it the server would take its body', async () => {
  const admission = admissionFor({ maxInFlight: 1 });
  const begun: (string | undefined)[] = [];
  const server = createServer();
  server.on('checkContinue', (request) => begun.push(request.url));
  admitRequests(server, { admission });
  const response = { on: () => {} };
  const emitted = server.emit(
    'checkContinue',
    { url: '/1', socket: {} } as never,
    response as never,
  );
  expect(emitted).toBe(true);
  expect(begun).toEqual([]);
  await untilStats(admission, { inFlight: 1 });
  expect(begun).toEqual(['/1']);
});
