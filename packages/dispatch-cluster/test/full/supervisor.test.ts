import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';
import { testCountedRequests } from '../counted-requests.ts';
import type { Tasks } from '../fixtures/server.ts';
import { testHeartbeat, testPausedWorker } from '../held-workers.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

testCountedRequests('http');
testCountedRequests('later');
testCountedRequests('fastify');
testHeartbeat('in a loop');
testPausedWorker('external');
testPausedWorker('round-robin');

test('reload({ parallel }) replaces that many workers at a time, while the same number serves', async () => {
  const supervisor = start({ workers: 2 });
  await supervisor.ready();
  const serving = () => supervisor.workers.filter(({ state }) => state === 'ready').length;
  const reload = supervisor.reload({ parallel: 2 });
  expect(supervisor.stats().dispatcher.spawned).toBe(4);
  let isOver = false;
  const least = (async () => {
    let count = 2;
    while (!isOver) {
      count = Math.min(count, serving());
      // Not at each turn: the workers that start need the processor.
      await setTimeout(2);
    }
    return count;
  })();
  await reload;
  isOver = true;
  expect(await least).toBe(2);
  expect(supervisor.stats().dispatcher).toMatchObject({ spawned: 4, lost: 0 });
  await expect(supervisor.reload({ parallel: 0 })).rejects.toThrow(
    new RangeError('Cannot reload: `parallel` must be an integer of 1 to 1024, got 0'),
  );
  await expect(
    supervisor.reload({ module: new URL('file:///other.js') } as object),
  ).rejects.toThrow(new TypeError('Cannot reload: unknown option `module`; known are parallel'));
});

test('a request that does not end is cut off after `graceMs`', async () => {
  const supervisor = start({ shutdown: { lameDuckMs: 50, graceMs: 100 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const endless = ask(`${url}/?ms=1000000`);
  await ask(url);
  await Promise.all([
    supervisor.close(),
    expect(endless).rejects.toMatchObject({ code: 'ECONNRESET' }),
  ]);
});

test('close({ graceMs }): clients that keep idle connections cost a share of it, and no worker is killed', async () => {
  const supervisor = start({ shutdown: { lameDuckMs: 250_000, graceMs: 1_000_000 } });
  await supervisor.ready();
  const agent = new http.Agent({ keepAlive: true });
  await ask(await addressOf(supervisor), agent);
  const exit = once(supervisor.events, 'worker-exit');
  await supervisor.close({ graceMs: 4000 });
  expect(await exit).toMatchObject([{ exitCode: 0, signal: undefined }]);
  agent.destroy();
});

test('a connection that never sent a byte does not keep a worker', async () => {
  const supervisor = start({ shutdown: { lameDuckMs: 50, graceMs: 1_000_000 } });
  await supervisor.ready();
  const { port } = new URL(await addressOf(supervisor));
  const socket = net.connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  await vi.waitFor(() => expect(supervisor.stats().connections).toBe(1), 60_000);
  const ended = once(socket, 'close');
  await supervisor.close();
  await ended;
});

test('foreign messages over the channel of a worker are ignored', async () => {
  const supervisor = start();
  const dispatcher = supervisor.dispatcher<Tasks>();
  for (const message of [{ 'watch:import': ['file:///a.ts'] }, 'text', [1], 5, { act: 'close' }]) {
    expect(await dispatcher.run('foreign', message)).toBe('sent');
  }
  supervisor.workers[0]?.process?.send({ hello: 'worker' });
  expect(await dispatcher.run('double', 2)).toBe(4);
});

test.each([
  [
    'half a head is no request: its worker ends as if idle, with exit code 0',
    1_000_000,
    'GET / HTTP/1.1\r\nHost: a',
    { exitCode: 0 },
  ],
  [
    'a body that is too slow is cut when the grace ends',
    1000,
    'POST /?ms=1000000 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbod',
    // On a busy machine it is killed before it has exited.
    {},
  ],
])('close(): %s', async (_, graceMs, text, ends) => {
  const supervisor = start({ shutdown: { lameDuckMs: 50, graceMs } });
  await supervisor.ready();
  const socket = net.connect(Number(new URL(await addressOf(supervisor)).port), '127.0.0.1');
  const ended = once(
    socket.on('error', () => {}),
    'close',
  );
  socket.write(text);
  // The worker has read it when it answers a later connection.
  await ask(await addressOf(supervisor));
  const exit = once(supervisor.events, 'worker-exit');
  await supervisor.close();
  await ended;
  expect(await exit).toMatchObject([ends]);
});

test('a worker is replaced after `requests`, and its replacement starts first', async () => {
  const supervisor = start({ recycle: { requests: 10, jitter: 0 } });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const ready = once(supervisor.events, 'worker-ready');
  for (let index = 0; index < 9; index++) expect(await ask(url)).toMatchObject({ workerId: 1 });
  expect(supervisor.stats().dispatcher.spawned).toBe(1);
  await ask(url);
  expect(await ready).toMatchObject([{ workerId: 2, slot: 0 }]);
  await vi.waitFor(async () => expect(await ask(url)).toMatchObject({ workerId: 2 }), 60_000);
});

test('SIGTERM to one worker starts its replacement first; workers leave Ctrl-C to the primary', async () => {
  const supervisor = start();
  await supervisor.ready();
  const { pid = Number.NaN } = supervisor.workers[0] ?? {};
  process.kill(pid, 'SIGINT');
  const exit = once(supervisor.events, 'worker-exit');
  const ready = once(supervisor.events, 'worker-ready');
  process.kill(pid, 'SIGTERM');
  expect(await ready).toMatchObject([{ workerId: 2 }]);
  expect(await exit).toMatchObject([{ workerId: 1, exitCode: 0 }]);
});

test('a cluster with external connections serves the sockets that it gets', async () => {
  const supervisor = start({ connections: 'external', env: { ...process.env, SERVER: 'later' } });
  await supervisor.ready();
  const [worker] = supervisor.workers;
  expect(worker?.address).toBe(undefined);
  const front = net.createServer({ pauseOnConnect: true }, (socket) => {
    worker?.process?.send('socket', socket);
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const { port } = front.address() as net.AddressInfo;
  expect(await ask(`http://127.0.0.1:${port}`)).toMatchObject({ pid: worker?.pid });
  front.close();
});

test('a worker knows its slot, which its successor takes over', async () => {
  const supervisor = start({ workers: 2 });
  await supervisor.ready();
  const url = await addressOf(supervisor);
  const askAll = async () => {
    const answers = [await ask(url), await ask(url)];
    return answers.map(({ workerId, slot }) => ({ workerId, slot }));
  };
  const events: object[] = [];
  const note =
    (name: string) =>
    ({ workerId, slot }: { readonly workerId: number; readonly slot: number }) =>
      events.push({ name, workerId, slot });
  supervisor.events.on('worker-ready', note('worker-ready'));
  supervisor.events.on('worker-exit', note('worker-exit'));
  const [first, second] = [
    { workerId: 1, slot: 0 },
    { workerId: 2, slot: 1 },
  ];
  expect(await askAll()).toEqual(expect.arrayContaining([first, second]));
  await supervisor.reload();
  const [third, fourth] = [
    { workerId: 3, slot: 0 },
    { workerId: 4, slot: 1 },
  ];
  expect(await askAll()).toEqual(expect.arrayContaining([third, fourth]));
  await supervisor.close();
  expect(events).toEqual(
    expect.arrayContaining([
      { name: 'worker-ready', ...third },
      { name: 'worker-ready', ...fourth },
      { name: 'worker-exit', ...first },
      { name: 'worker-exit', ...fourth },
    ]),
  );
});

test('replace() starts a successor of one worker, and of no other', async () => {
  const supervisor = start({ workers: 2 });
  await supervisor.ready();
  const [, { pid = Number.NaN } = {}] = supervisor.workers;
  const exit = once(supervisor.events, 'worker-exit');
  // No process has this id.
  supervisor.replace({ pid: -1 });
  supervisor.replace({ pid });
  expect(await exit).toMatchObject([{ workerId: 2, slot: 1, pid, exitCode: 0, signal: undefined }]);
  expect(supervisor.workers).toMatchObject([
    { workerId: 1, slot: 0, state: 'ready' },
    { workerId: 3, slot: 1, state: 'ready' },
  ]);
  expect(supervisor.stats().dispatcher).toMatchObject({ recycled: 1, lost: 0 });
});

test('scale() adds workers, and removes the last ones', async () => {
  const supervisor = start();
  await supervisor.ready();
  await supervisor.scale(3);
  expect(supervisor.workers.map(({ slot, state }) => [slot, state])).toEqual([
    [0, 'ready'],
    [1, 'ready'],
    [2, 'ready'],
  ]);
  await supervisor.scale(1);
  expect(supervisor.workers).toMatchObject([{ workerId: 1, slot: 0 }]);
  await expect(supervisor.scale(0)).rejects.toThrow(RangeError);
});
