import { once } from 'node:events';
import { lives, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSocketRouter, type RouterWorker } from '../src/index.ts';
import { askWorker, oneConnection, open, received, workerReplyIn } from './clients.ts';
import { byKey, keyed, keys } from './keyed-workers.ts';
import { openJournal, openRouter } from './router-fixture.ts';
import { SimulatedChannel } from './simulated-channel.ts';

/** Steps of a program after which it may close: before the port is asked for, and after it. */
const TURNS = Array.from({ length: 20 }, (_, turns) => turns);
const modes = ['socket', 'passthru'] as const;

test.each(modes)('mode %s: close() closes idle connections after lameDuckMs', async (mode) => {
  const { port, router } = await openRouter({ mode, count: 1 });
  const socket = await open(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  const silent = await open(port);
  await until(() => router.stats().accepted === 2);
  const started = performance.now();
  const [, first, second] = await Promise.all([
    router.close({ graceMs: 60_000, lameDuckMs: 0 }),
    received(socket),
    received(silent),
  ]);
  expect([first, second]).toEqual(['', '']);
  expect(performance.now() - started).toBeLessThan(5000);
});

test.each(modes)(
  'mode %s: while close() has its lame duck, an idle connection gets one more answer, its last',
  async (mode) => {
    const { port, router } = await openRouter({ mode, count: 1 });
    const socket = await open(port);
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.write(request);
    await once(socket, 'data');
    await until(() => router.stats().handedOver === 1);
    const closed = router.close({ graceMs: 60_000, lameDuckMs: 30_000 });
    await expect(open(port)).rejects.toThrow('ECONNREFUSED');
    socket.write(request);
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n/i);
    // The last connection has ended: what is left of the lame duck is not waited for.
    await closed;
  },
);

test('close() without connections has no lame duck, also when workers have unix sockets', async () => {
  const { router } = await openRouter({
    count: 2,
    laterRequests: 'forward',
    env: { ROUTE: 'key' },
    route: () => ({ key: 'a' }),
  });
  const started = performance.now();
  await router.close({ graceMs: 60_000, lameDuckMs: 30_000 });
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('close() keeps a connection whose later request another worker answers', async () => {
  const journal = openJournal();
  const env = { ...byKey.env, JOURNAL: journal.path };
  const { port, pids, router } = await openRouter({ ...byKey, env, laterRequests: 'forward' });
  const agent = oneConnection();
  onTestFinished(() => agent.destroy());
  await askWorker(port, { agent, ...keyed(keys[0] ?? '') });
  const later = askWorker(port, { agent, path: '/later?ms=1000', ...keyed(keys[1] ?? '') });
  await until(() => journal.requests().some(({ url }) => url.startsWith('/later')));
  const closed = router.close({ graceMs: 30_000, lameDuckMs: 0 });
  expect((await later).pid).toBe(pids()[1]);
  await closed;
});

test.each([
  [{ graceMs: 400 }, 400],
  [{ graceMs: 0 }, 0],
  [{}, 8000],
])(
  'close(%j) is over within graceMs, the end of the processes included',
  async (leave, graceMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const channel = new SimulatedChannel();
    const graces: number[] = [];
    const router = createSocketRouter({
      workers: {
        subscribe(listener: (worker: RouterWorker) => void) {
          listener(channel.asWorker());
          return () => {};
        },
        close: async (options: { readonly graceMs: number }) => void graces.push(options.graceMs),
      },
    });
    channel.say({ kind: 'ready', router: channel.sent[0]?.message.router });
    const started = performance.now();
    const closed = router.close(leave);
    // The worker never answers, as when it is stopped.
    await vi.runAllTimersAsync();
    await closed;
    const [left = Number.NaN] = graces;
    expect(performance.now() - started + left).toBeLessThanOrEqual(graceMs);
    const drain = channel.sent.find(({ message }) => message.kind === 'drain')?.message;
    expect(drain?.['graceMs']).toBeLessThanOrEqual(graceMs);
    expect(left).toBeGreaterThanOrEqual(Math.min(500, graceMs / 4));
  },
);

test('close() waits for connections that no worker has claimed yet', async () => {
  const { port, router, pids } = await openRouter({ count: 1 });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  const socket = await open(port);
  const answer = received(socket);
  socket.write('GET /one HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => router.stats().workers[0]?.queued === 1);
  const closed = router.close({ graceMs: 5000, lameDuckMs: 0 });
  process.kill(pid, 'SIGCONT');
  expect(workerReplyIn(await answer).url).toBe('/one');
  await closed;
});

test('close() ends a worker that is stopped', async () => {
  const { router, pids } = await openRouter({ own: true, count: 1 });
  const [pid = Number.NaN] = pids();
  process.kill(pid, 'SIGSTOP');
  await router.close({ graceMs: 100 });
  expect(lives(pid)).toBe(false);
});

test('close() may be called twice, and before listen(); listen() only once', async () => {
  const { router } = await openRouter({ count: 1 });
  await expect(router.listen({ port: 0 })).rejects.toMatchObject({
    name: 'RouterError',
    code: 'ERR_STATE',
    message: 'Cannot listen: the router listens already; create another router',
  });
  const [first, second] = [router.close(), router.close({ graceMs: 0 })];
  await Promise.all([first, second, router[Symbol.asyncDispose]()]);
  await expect(router.listen({ port: 0 })).rejects.toMatchObject({
    message: 'Cannot listen: the router is closed; create another router',
  });
});

test('close() while the port is being opened leaves no server listening', async () => {
  const hosts = ['127.0.0.1', 'localhost'];
  for (const [turns, host] of hosts.flatMap((host) =>
    TURNS.map((turns) => [turns, host] as const),
  )) {
    const router = createSocketRouter({ workers: { subscribe: () => () => {} } });
    const listening = router.listen({ port: 0, host });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const closed = router.close();
    await expect(listening).rejects.toMatchObject({ code: 'ERR_STATE' });
    await closed;
  }
});

test('a worker that joins while the router drains is not greeted', async () => {
  let join: (worker: RouterWorker) => void = () => {};
  const [ready, late] = [new SimulatedChannel(), new SimulatedChannel()];
  const router = createSocketRouter({
    mode: 'passthru',
    workers: {
      subscribe: (listener) => {
        join = listener;
        return () => {};
      },
    },
  });
  join(ready.asWorker('0'));
  const { router: id } = ready.sent[0]?.message ?? {};
  ready.say({ kind: 'ready', router: id });
  const closed = router.close({ graceMs: 60_000 });
  await until(() => ready.sent.some(({ message }) => message.kind === 'drain'));
  join(late.asWorker('1'));
  late.say({ kind: 'attached' });
  expect(late.sent).toEqual([]);
  ready.say({ kind: 'drained', router: id });
  await closed;
});
