import { EventEmitter } from 'node:events';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSocketRouter,
  forkWorkers,
  type RouterOptions,
  type SocketRouter,
} from '../../src/index.ts';
import { ask, exchange, oneConnection, open, received } from '../clients.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';
import { SimulatedChannel } from '../simulated-channel.ts';
import { execArgv, forked } from '../worker-processes.ts';

const modes = ['socket', 'passthru'] as const;

/** A source whose workers the test plays. */
class PlayedWorkers extends EventEmitter {
  readonly slots?: readonly string[];
  readonly events = this;
  readonly channels = new Map<string, SimulatedChannel>();
  #listener: ((worker: ReturnType<SimulatedChannel['asWorker']>) => void) | undefined;

  constructor(slots?: readonly string[]) {
    super();
    if (slots !== undefined) this.slots = slots;
  }

  subscribe(listener: (worker: ReturnType<SimulatedChannel['asWorker']>) => void): () => void {
    this.#listener = listener;
    return () => {};
  }

  start(slot: string): void {
    const channel = new SimulatedChannel();
    this.channels.set(slot, channel);
    this.#listener?.(channel.asWorker(slot));
  }

  serve(slot: string): void {
    const channel = this.channels.get(slot) as SimulatedChannel;
    const router = channel.sent[0]?.message.router as string;
    channel.say({ kind: 'ready', router });
  }

  end(slot: string): void {
    this.channels.get(slot)?.emit('disconnect');
  }
}

async function listening(options: RouterOptions): Promise<{ router: SocketRouter; port: number }> {
  const router = createSocketRouter({
    ...(options.route && { laterRequests: 'connection' }),
    ...options,
  });
  onTestFinished(() => router.close({ graceMs: 500 }));
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  return { router, port };
}

const health = async (port: number): Promise<readonly [status: number, body: string]> => {
  const { status, text } = await ask(port, { path: '/health' });
  return [status, text];
};

test('ready() resolves when each slot has a worker that serves', async () => {
  const router = createSocketRouter({ workers: forked('http-worker', 2) });
  onTestFinished(() => router.close({ graceMs: 500 }));
  await router.ready();
  expect(router.stats().workers.map(({ slot, state }) => [slot, state])).toEqual([
    ['0', 'ready'],
    ['1', 'ready'],
  ]);
});

test.each([[['0', '1']], [undefined]])(
  'ready() waits for the last slot, and again while one is empty (slots named: %s)',
  async (slots) => {
    const workers = new PlayedWorkers(slots);
    const { router } = await listening({ workers });
    const seen: string[] = [];
    const first = router.ready().then(() => seen.push('ready'));
    workers.start('0');
    workers.start('1');
    workers.serve('0');
    await Promise.resolve();
    expect(seen).toEqual([]);
    workers.serve('1');
    await first;
    expect(seen).toEqual(['ready']);
    await router.ready();
    workers.end('1');
    workers.start('1');
    const second = router.ready().then(() => seen.push('again'));
    await Promise.resolve();
    expect(seen).toEqual(['ready']);
    workers.serve('1');
    await second;
  },
);

test('ready() of a source that starts workers one by one waits for its own ready()', async () => {
  const workers = new PlayedWorkers();
  let started = () => {};
  const allStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const { router, port } = await listening({
    workers: Object.assign(workers, { ready: () => allStarted }),
    health: '/health',
  });
  workers.start('0');
  workers.serve('0');
  expect(await health(port)).toEqual([503, '{"status":"starting"}']);
  const ready = router.ready();
  workers.start('1');
  workers.serve('1');
  started();
  await ready;
  expect(await health(port)).toEqual([200, '{"status":"ready"}']);
});

test('ready() settles when the router closes, and after it', async () => {
  const router = createSocketRouter({ workers: new PlayedWorkers(['0']) });
  const ready = router.ready();
  await router.close();
  await ready;
  await router.ready();
  expect(router.stats().state).toBe('closed');
});

test('when workers fail to start, ready() rejects with the reason, and waiting clients get 503 at once until one serves', async () => {
  const workers = new PlayedWorkers(['0', '1']);
  const { router, port } = await listening({
    workers,
    health: '/health',
    route: ({ target = '' }) => (target === '/any' ? undefined : { slot: '0' }),
  });
  const opened = nextEvent(router, 'circuit-open');
  const [waiting, ready] = [ask(port), router.ready()];
  const error = new Error('Cannot find module ./worker.js');
  await until(() => router.stats().waiting === 1);
  workers.emit('circuit-open', { error });
  await expect(ready).rejects.toMatchObject({
    name: 'RouterError',
    code: 'ERR_CIRCUIT_OPEN',
    message: 'Workers keep failing to start: Cannot find module ./worker.js',
    cause: error,
  });
  expect(await opened).toEqual({ slots: ['0', '1'], error });
  expect((await waiting).status).toBe(503);
  expect((await ask(port, { path: '/any' })).status).toBe(503);
  expect(await health(port)).toEqual([503, '{"status":"circuit-open"}']);
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  workers.start('0');
  workers.serve('0');
  workers.start('1');
  const served = router.ready();
  workers.serve('1');
  await served;
  expect(await health(port)).toEqual([200, '{"status":"ready"}']);
});

test('the circuit of one source does not concern the slots of another', async () => {
  const [stable, canary] = [new PlayedWorkers(['0']), new PlayedWorkers(['canary-0'])];
  const { router, port } = await listening({
    workers: [stable, canary],
    health: '/health',
    route: ({ target = '' }) => ({ slot: target.slice(1) }),
  });
  canary.emit('circuit-open', { error: new Error('no') });
  const waits = ask(port, { path: '/0' });
  expect((await ask(port, { path: '/canary-0' })).status).toBe(503);
  expect(router.stats()).toMatchObject({ waiting: 1, refused: 1 });
  expect(await health(port)).toEqual([503, '{"status":"circuit-open"}']);
  await router.close({ graceMs: 100 });
  expect((await waits).status).toBe(503);
});

test.each(modes)(
  'mode %s: health is answered by the router, and never handed over',
  async (mode) => {
    const { router, port } = await openRouter({ mode, count: 2, health: '/healthz' });
    const { status, headers, text } = await ask(port, { path: '/healthz?deep=1' });
    expect([status, text]).toEqual([200, '{"status":"ready"}']);
    expect(headers).toMatchObject({
      connection: 'close',
      'cache-control': 'no-store',
      'content-type': 'application/json',
    });
    const head = await exchange(port, 'HEAD http://a/healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/\r\nContent-Length: 18\r\n/i);
    expect(head.endsWith('\r\n\r\n')).toBe(true);
    const post = await ask(port, { method: 'POST', path: '/healthz', body: Buffer.from('x') });
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await ask(port, { path: '/healthzz' })).status).toBe(200);
    expect(router.stats()).toMatchObject({ accepted: 4, handedOver: 1, answered: 3, refused: 0 });
  },
);

test('health stays 200 while one of two workers restarts, and is 503 while there is none', async () => {
  const workers = new PlayedWorkers(['0', '1']);
  const { port } = await listening({ workers, health: '/health' });
  expect(await health(port)).toEqual([503, '{"status":"starting"}']);
  for (const slot of ['0', '1']) {
    workers.start(slot);
    workers.serve(slot);
  }
  expect((await health(port))[0]).toBe(200);
  workers.end('0');
  expect((await health(port))[0]).toBe(200);
  workers.end('1');
  expect(await health(port)).toEqual([503, '{"status":"starting"}']);
});

test('health is 503 while the router closes', async () => {
  const { router, port } = await openRouter({ count: 1, health: '/healthz' });
  const socket = await open(port);
  socket.write('GET /heal');
  await until(() => router.stats().reading === 1);
  const agent = oneConnection();
  onTestFinished(() => agent.destroy());
  const kept = ask(port, { path: '/later?ms=300', agent });
  await until(() => router.stats().handedOver === 1);
  const closed = router.close({ graceMs: 5000, lameDuckMs: 0 });
  socket.write('thz HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 503 [\s\S]*"closing"}$/);
  expect((await kept).status).toBe(200);
  await closed;
});

test.each(modes)('mode %s: a route may answer itself, in all forms', async (mode) => {
  const answers: Record<string, unknown> = {
    '/text': { status: 200, body: 'hello' },
    '/json': { status: 404, headers: { 'Content-Type': 'application/json' }, body: '{}' },
    '/bytes': { status: 418, body: new Uint8Array([0xff, 0]), headers: { 'x-a': 'b' } },
    '/moved': { status: 308, headers: { location: '/text', 'x-none': undefined } },
    '/none': { status: 204 },
    '/101': { status: 101 },
    '/text-status': { status: '200' },
    '/number': { status: 200, body: 1 },
    '/split': { status: 200, headers: { 'x-a': 'b\r\nset-cookie: c' } },
    '/name': { status: 200, headers: { 'x a': 'b' } },
    '/length': { status: 200, headers: { 'Content-Length': '3' } },
    '/list': { status: 200, headers: [] },
    '/null': null,
  };
  const { router, port } = await openRouter({
    mode,
    count: 1,
    route: ({ target = '' }) => ({ answer: answers[target] }) as never,
  });
  const replies = [];
  for (const path of Object.keys(answers)) replies.push(await ask(port, { path }));
  expect(replies.map(({ status }) => status)).toEqual([
    200, 404, 418, 308, 204, 500, 500, 500, 500, 500, 500, 500, 500,
  ]);
  expect(replies[0]?.headers).toMatchObject({
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '5',
  });
  expect([replies[0]?.text, replies[1]?.text]).toEqual(['hello', '{}']);
  expect(replies[1]?.headers['content-type']).toBe('application/json');
  expect(replies[2]?.headers).toMatchObject({ 'x-a': 'b', 'content-length': '2' });
  expect(replies[3]?.headers).toMatchObject({ location: '/text', 'content-length': '0' });
  expect(replies[4]?.headers['content-length']).toBeUndefined();
  expect(router.stats()).toMatchObject({ handedOver: 0, answered: 5, refused: 8 });
});

test('two sources serve side by side: another version in the slots of a prefix', async () => {
  const module = new URL('../workers/version-worker.mjs', import.meta.url);
  const start = (version: string, workers: number, slotPrefix?: string) =>
    forkWorkers(module, {
      workers,
      slotPrefix,
      execArgv,
      env: { ...process.env, VERSION: version },
    });
  const { router, port } = await listening({
    workers: [start('one', 1), start('two', 1, 'canary-')],
    route: ({ target = '' }) =>
      target === '/canary' ? { slot: 'canary-0' } : { key: target, among: ['0'] },
  });
  await router.ready();
  expect(router.stats().workers.map(({ slot }) => slot)).toEqual(['0', 'canary-0']);
  const versions = [];
  for (const path of ['/canary', '/a', '/b', '/canary']) {
    versions.push((await ask(port, { path })).text);
  }
  expect(versions).toEqual(['two', 'one', 'one', 'two']);
});

test('two sources with the same slot are refused: at once, or when the second one starts it', async () => {
  const [one, other, late] = [
    new PlayedWorkers(['0', '1']),
    new PlayedWorkers(['1']),
    new PlayedWorkers(),
  ];
  const message = 'Cannot create router: two of `workers` have a slot 1; set `slotPrefix` of one';
  expect(() => createSocketRouter({ workers: [one, other] })).toThrow(new TypeError(message));
  await listening({ workers: [one, late] });
  expect(() => late.start('1')).toThrow(new TypeError(message));
  expect(() => late.start('2')).not.toThrow();
});

test('forkWorkers() names the slots that it will have', () => {
  const module = new URL('../workers/http-worker.mjs', import.meta.url);
  expect(forkWorkers(module, { workers: 2, slotPrefix: 'b' }).slots).toEqual(['b0', 'b1']);
  expect(forkWorkers(module, 1).slots).toEqual(['0']);
});
