import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { constantRate } from '../src/loading/constant-rate.ts';

test('constantRate() sends what is due also when earlier requests failed or hang, and waits for every answer', async () => {
  let first: ServerResponse | undefined;
  let asked = 0;
  const server = createServer(({ url }, response) => {
    if (url === '/healthz') return void response.end();
    asked += 1;
    if (asked === 1) {
      // A client that waits for its answer would never send another.
      first = response;
      return;
    }
    if (asked === 2) first?.end();
    response.statusCode = asked === 3 ? 503 : 200;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sample = await constantRate({
    url,
    clients: 1,
    reuse: true,
    paths: ['/'],
    perSecond: 100,
    ms: 300,
    beside: { path: '/healthz', perSecond: 100 },
  });
  expect(asked).toBeGreaterThan(3);
  expect([sample.answered, sample.failed]).toEqual([asked - 1, 1]);
  expect(sample.besideP99Ms).toBeGreaterThan(0);
});
