import { once } from 'node:events';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, exchange, open, received } from '../clients.ts';
import { openSlow, status } from '../refused.ts';
import { openRouter } from '../router-fixture.ts';

test('100 clients that never finish their head get 408', async () => {
  const { port, router } = await openRouter({ count: 1, limits: { headTimeoutMs: 3000 } });
  const slow = await openSlow(port);
  for (const answer of await Promise.all(slow.map(received))) expect(answer).toMatch(status(408));
  expect(router.stats()).toMatchObject({ reading: 0, refused: 100 });
});

test('more connections than may be pending are refused with 503', async () => {
  const { port, router } = await openRouter({ count: 1, limits: { pending: 3 } });
  const held = await Promise.all([open(port), open(port), open(port)]);
  await until(() => router.stats().reading === 3);
  expect(await exchange(port, 'GET / HTTP/1.1\r\n')).toMatch(status(503));
  for (const socket of held) socket.destroy();
  await until(() => router.stats().reading === 0);
  expect((await ask(port)).status).toBe(200);
});

test('the worker of a key gets no more while its queue is full', async () => {
  const { port, pids, router } = await openRouter({
    count: 1,
    route: () => ({ key: 'one' }),
    limits: { queuePerWorker: 2, claimTimeoutMs: 60_000 },
  });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  const waiting = [ask(port, { path: '/1' }), ask(port, { path: '/2' })];
  await until(() => router.stats().workers[0]?.queued === 2);
  expect((await ask(port)).status).toBe(503);
  process.kill(pid, 'SIGCONT');
  expect((await Promise.all(waiting)).map((answer) => answer.status)).toEqual([200, 200]);
});

test('a server that does not listen keeps its own timeouts for later requests', async () => {
  const { port } = await openRouter({ count: 1, worker: 'impatient-worker' });
  const socket = await open(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [first] = await once(socket, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
  socket.write('GET / HTTP/1.1\r\nX-');
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 408 /);
});
