import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { ask, askWorker, open, received } from '../clients.ts';
import { type ProgramReport, startProgram } from '../programs.ts';
import { nextEvent, openJournal, openRouter } from '../router-fixture.ts';

/** Some rounds by hand: `ROUNDS=20 pnpm exec vitest run --project socket-router passthru-lost-workers -t under.way`. */
const ROUNDS = Array.from({ length: Number(process.env['ROUNDS'] ?? 1) }, (_, round) => round + 1);
const TWENTY = Array.from({ length: 20 }, (_, index) => index);

/** A router in mode `passthru` with three workers; the first is stopped, and connections to all of them are kept. */
async function openStopped(worker = 'http-worker') {
  const journal = openJournal();
  const env = { JOURNAL: journal.path };
  const opened = await openRouter({ mode: 'passthru', own: true, count: 3, worker, env });
  const { port, pids, router } = opened;
  await Promise.all(TWENTY.map(() => ask(port, { path: '/warm' })));
  const [stopped = 0] = pids();
  process.kill(stopped, 'SIGSTOP');
  /** Requests that the stopped worker has. */
  const held = (): number => router.stats().workers.find(({ pid }) => pid === stopped)?.open ?? 0;
  return { ...opened, stopped, held, journal };
}

/** Resolves when the other end has ended a connection, or reset it. */
async function ended(socket: Socket): Promise<void> {
  await received(socket).catch(() => 'reset');
  expect(socket.destroyed).toBe(true);
}

test.each(ROUNDS)(
  'a worker stopped and then killed with GETs under way: all 20 are answered by others (round %i)',
  async () => {
    const { port, router, stopped, held } = await openStopped();
    const before = router.stats().handedOver;
    const answers = Promise.all(TWENTY.map(() => ask(port, { path: '/later?ms=50' })));
    await until(() => router.stats().handedOver === before + 20);
    expect(held()).toBeGreaterThan(1);
    process.kill(stopped, 'SIGKILL');
    expect((await answers).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(router.stats().refused).toBe(0);
  },
);

test.each(ROUNDS)(
  'workers of node:cluster, which open their unix sockets themselves: all 20 GETs are answered (round %i)',
  async () => {
    const primary = startProgram('cluster-program.mjs', ['advanced', 'passthru']);
    let state: ProgramReport | undefined;
    // Two messages may come at once: a wait for one after the other would miss the second.
    primary.on('message', (reply) => {
      state = reply as ProgramReport;
    });
    const areReady = () =>
      state?.workers?.filter((worker) => worker.state === 'ready').length === 2;
    await until(areReady);
    const { port, workers } = state as unknown as ProgramReport;
    const [stopped = 0] = workers.map(({ pid }) => pid);
    await Promise.all(TWENTY.map(() => ask(port)));
    process.kill(stopped, 'SIGSTOP');
    // Those of the other worker are answered; each of the rest is on its way to the one that is stopped.
    let answered = 0;
    const answers = TWENTY.map(async () => {
      const { status } = await ask(port);
      answered += 1;
      return status;
    });
    await until(() => answered >= 10);
    process.kill(stopped, 'SIGKILL');
    expect(await Promise.all(answers)).toEqual(Array(20).fill(200));
    primary.send('close');
    await once(primary, 'exit');
    await until(() => !workers.some(({ pid }) => lives(pid)));
  },
);

test('a POST on a killed worker gets 502 at once, and runs nowhere else', async () => {
  const { port, router, stopped, held, journal } = await openStopped();
  const answers = TWENTY.map((index) =>
    ask(port, { method: 'POST', path: `/later?ms=50&n=${index}`, body: Buffer.from('body') }),
  );
  await until(() => router.stats().handedOver === 40);
  const count = held();
  const began = performance.now();
  process.kill(stopped, 'SIGKILL');
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  // Far below the 10 s for which a router waits for a worker.
  expect(performance.now() - began).toBeLessThan(5000);
  expect(statuses.filter((status) => status === 502)).toHaveLength(count);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20 - count);
  const urls = journal.requests().map(({ url }) => url);
  expect(urls.filter((url) => url.startsWith('/later'))).toHaveLength(20 - count);
});

test('a worker is killed while it gets a body: 502, although the client goes on sending', async () => {
  const journal = openJournal();
  const env = { JOURNAL: journal.path };
  const { port, pids } = await openRouter({ mode: 'passthru', own: true, count: 1, env });
  const socket = await open(port);
  const answer = received(socket);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n');
  socket.write(randomBytes(1_000_000));
  // Before it has reached the worker it may go to the successor, which waits for the rest of the body.
  await until(() => journal.requests().length === 1);
  process.kill(pids()[0] ?? 0, 'SIGKILL');
  expect(await answer).toMatch(/^HTTP\/1\.1 502 /);
});

test('a worker killed in the middle of an answer cuts it off', async () => {
  const { port, pids } = await openRouter({ mode: 'passthru', own: true, count: 1 });
  const socket = await open(port);
  socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
  const [head] = await once(socket, 'data');
  expect(String(head)).toMatch(/^HTTP\/1\.1 200 /);
  process.kill(pids()[0] ?? 0, 'SIGKILL');
  await ended(socket);
});

test('a GET that ends its worker is sent three times at most', async () => {
  const journal = openJournal();
  const env = { JOURNAL: journal.path };
  const { port, router } = await openRouter({ mode: 'passthru', own: true, count: 4, env });
  const refused = nextEvent(router, 'refused');
  expect((await ask(port, { path: '/exit' })).status).toBe(502);
  expect(await refused).toEqual({ status: 502, reason: 'worker-failed' });
  expect(journal.requests()).toHaveLength(3);
  expect(router.stats().rerouted).toBe(2);
});

test('a GET on the only worker, which is killed, waits for its successor', async () => {
  const { port, router, pids } = await openRouter({ mode: 'passthru', own: true, count: 1 });
  const [before = 0] = pids();
  process.kill(before, 'SIGSTOP');
  const answers = [askWorker(port), askWorker(port)];
  await until(() => router.stats().workers[0]?.open === 2);
  process.kill(before, 'SIGKILL');
  for (const { pid } of await Promise.all(answers)) expect(pid).not.toBe(before);
});

test('a GET gets 502 at once when the only worker breaks its connection', async () => {
  const { port } = await openRouter({ mode: 'passthru', count: 1 });
  const began = performance.now();
  expect((await ask(port, { path: '/break' })).status).toBe(502);
  expect(performance.now() - began).toBeLessThan(5000);
});

test('WebSockets on their way to a killed worker reach another; its open ones end', async () => {
  const { port, stopped, held } = await openStopped('websocket-worker');
  const sockets = TWENTY.map(() => new WebSocket(`ws://127.0.0.1:${port}`));
  // Asked for before anything is awaited: the workers that run may greet before the stopped one has two.
  const hellos = Promise.all(sockets.map((socket) => once(socket, 'message')));
  await until(() => held() > 1);
  process.kill(stopped, 'SIGKILL');
  const pids = (await hellos).map(([hello]) => JSON.parse(String(hello)).pid);
  expect(pids).not.toContain(stopped);
  const [victim] = pids;
  const lost = sockets.filter((_, index) => pids[index] === victim);
  process.kill(victim, 'SIGKILL');
  await Promise.all(lost.map((socket) => once(socket, 'close')));
  for (const socket of sockets) socket.terminate();
});

test('an upgrade that a worker refuses with an answer that it does not finish is cut off', async () => {
  const { port, pids } = await openRouter({
    mode: 'passthru',
    own: true,
    worker: 'websocket-worker',
    count: 1,
  });
  const socket = await open(port);
  socket.write(
    'GET /half HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  const [head] = await once(socket, 'data');
  expect(String(head)).toMatch(/^HTTP\/1\.1 403 /);
  process.kill(pids()[0] ?? 0, 'SIGKILL');
  await ended(socket);
});
