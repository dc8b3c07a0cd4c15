import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readRetryAfter } from '../src/http/retry-after.ts';
import { createCarrierHttp } from '../src/index.ts';
import { failureOf } from './upstream.ts';

const now = Date.UTC(2026, 10, 20, 12);

test.each([
  ['0', 0],
  ['30', 30_000],
  [' 7 ', 7000],
  ['1.5', 1500],
  ['007', 7000],
  ['9'.repeat(400), 2 ** 31 * 1000],
  ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
  ['Friday, 20-Nov-26 12:01:00 GMT', 60_000],
  ['Fri Nov 20 12:01:00 2026', 60_000],
  ['Tue Dec  1 00:00:00 2026', 10.5 * 86_400_000],
  ['Fri, 20 Nov 2026 11:59:59 GMT', 0],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
])('readRetryAfter() reads %j', (text, ms) => {
  expect(readRetryAfter(text, now)).toBe(ms);
});

// `Date.parse` reads a day in most of these.
test.each([
  '-1',
  '-30',
  '+5',
  '1e3',
  '0x10',
  'Infinity',
  '',
  ' ',
  '5 seconds',
  'in 5',
  '30, 60',
  '2026-11-20',
  '2026-11-20T12:01:00Z',
  '20 Nov 2026',
  'Fri, 20 Nov 2026 12:01:00',
  'Fri, 20 Nov 2026 12:01:00 CET',
  'Fri, 31 Nov 2026 12:01:00 GMT',
  'Fri, 20 Nix 2026 12:01:00 GMT',
  'Fri, 20 Nov 2026 25:01:00 GMT',
  'soon 1',
  undefined,
  30,
  ['30', '60'],
])('readRetryAfter() takes %j for none', (text) => {
  expect(readRetryAfter(text, now)).toBeUndefined();
});

test('send() does not ask again after a Retry-After that is none', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(503, { 'retry-after': '-1' }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await using http = createCarrierHttp();
  onTestFinished(() => {
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { signal } = new AbortController();
  const deadline = Date.now() + 60_000;
  const error = await failureOf(() =>
    http.clientOf('carrier').send({ method: 'GET', url, signal, deadline }),
  );
  expect(error).toMatchObject({ code: 'OVERLOADED', httpStatus: 503 });
  expect(error.retryAfterMs).toBeUndefined();
  expect(asked).toBe(1);
});
