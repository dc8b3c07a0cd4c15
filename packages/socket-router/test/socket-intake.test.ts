import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { EmitRouterEvent } from '../src/contract/socket-router.ts';
import { loadReaders } from '../src/intake/head-sniffer.ts';
import { SocketIntake } from '../src/intake/socket-intake.ts';
import { type RouterOptions, resolveRouterOptions } from '../src/options/router-options.ts';
import { decide } from '../src/placing/decide.ts';
import { type HeldConnection, queue as markQueued, send } from '../src/placing/held-connection.ts';
import type { Sources } from '../src/placing/sources.ts';
import type { WorkerQueue } from '../src/placing/worker-queue.ts';
import type { Workers } from '../src/placing/workers.ts';

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const HELLO_START = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]);
const HEAD_TIMEOUT_MS = 100;
const MAX_WAIT_MS = 400;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** The router's end of a connection; `say` is what the client sends. */
class FakeSocket extends Duplex {
  readonly remoteAddress = '192.0.2.1';
  answer = '';

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.answer += chunk.toString('latin1');
    done();
  }

  destroySoon(): void {
    this.destroy();
  }

  async say(bytes: string | Buffer | null): Promise<void> {
    this.push(bytes);
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function openIntake(options: Partial<RouterOptions> = {}) {
  const given: HeldConnection[] = [];
  const waits: (number | undefined)[] = [];
  const queue = {
    isFree: true,
    load: 0,
    queued: 0,
    firstWaitsSince: undefined,
    worker: { slot: '0', pid: 1 },
    enqueue(connection: HeldConnection, since?: number) {
      send(connection);
      given.push(connection);
      waits.push(since);
    },
  } as unknown as WorkerQueue;
  const sources = { knowsSlot: () => true, haveFailed: () => false };
  const workers = {
    ready: [queue] as readonly WorkerQueue[],
    sources: sources as unknown as Sources,
  };
  const counts = { accepted: 0, handedOver: 0, gone: 0, answered: 0, refused: 0, rerouted: 0 };
  const refused: string[] = [];
  const rerouted: unknown[] = [];
  const emit: EmitRouterEvent = (event, data) => {
    if (event === 'rerouted') rerouted.push(data);
  };
  const handedOver = (): void => {
    counts.handedOver += 1;
  };
  const refuse = (status: number, reason: string): void => {
    counts.refused += 1;
    refused.push(`${status} ${reason}`);
  };
  const resolved = resolveRouterOptions({
    workers: { subscribe: () => () => {} },
    ...(options.route && { laterRequests: 'connection' }),
    ...options,
    limits: { headTimeoutMs: HEAD_TIMEOUT_MS, maxWaitMs: MAX_WAIT_MS, ...options.limits },
  });
  const intake = new SocketIntake(
    {
      options: resolved,
      workers: workers as Workers,
      count: (name, by = 1) => {
        counts[name] += by;
      },
      emit,
      decide: (head) => decide(resolved.route, head),
      handedOver,
      refused: refuse,
    },
    await loadReaders(resolved),
  );
  const connect = (): FakeSocket => {
    const socket = new FakeSocket();
    intake.server.emit('connection', socket);
    return socket;
  };
  return { intake, counts, rerouted, refused, given, waits, queue, workers, connect };
}

test('finish() resolves when the last connection in hand has left', async () => {
  const { intake, connect, given, counts, queue } = await openIntake();
  const sockets = [connect(), connect()];
  for (const socket of sockets) await socket.say(HEAD);
  const finished = vi.fn();
  void intake.finish().then(finished);
  intake.queueChanged(queue, { kind: 'claimed', connection: given[0] as HeldConnection });
  await turn();
  expect(finished).not.toHaveBeenCalled();
  intake.queueChanged(queue, { kind: 'claimed', connection: given[1] as HeldConnection });
  await turn();
  expect(finished).toHaveBeenCalledOnce();
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  expect(counts).toMatchObject({ accepted: 2, handedOver: 2, refused: 0, gone: 0 });
  expect(vi.getTimerCount()).toBe(0);
  await intake.finish();
});

test('finish() closes connections that have sent nothing, and lets the others finish', async () => {
  const { intake, connect, refused } = await openIntake();
  const [silent, slow] = [connect(), connect()];
  await slow.say('GET / HTTP/1.1\r\n');
  expect(intake.stats()).toEqual({ reading: 2, waiting: 0 });
  const finished = intake.finish();
  expect([silent.destroyed, slow.destroyed]).toEqual([true, false]);
  expect(refused).toEqual(['0 closing']);
  expect(intake.stats()).toEqual({ reading: 1, waiting: 0 });
  vi.advanceTimersByTime(HEAD_TIMEOUT_MS);
  await finished;
  expect(refused).toEqual(['0 closing', '408 head-timeout']);
});

test('a head that does not come in time is refused in the protocol of the client', async () => {
  for (const [protocol, bytes, expected, answer] of [
    ['http', undefined, '0 head-timeout', /^$/],
    ['http', 'GET / ', '408 head-timeout', /^HTTP\/1\.1 408 /],
    ['auto', 'GET / ', '408 head-timeout', /^HTTP\/1\.1 408 /],
    ['auto', HELLO_START, '0 head-timeout', /^$/],
    ['tls-sni', HELLO_START, '0 head-timeout', /^$/],
  ] as const) {
    const { connect, refused, intake } = await openIntake({ protocol });
    const socket = connect();
    if (bytes !== undefined) await socket.say(bytes as string);
    vi.advanceTimersByTime(HEAD_TIMEOUT_MS - 1);
    expect(refused).toEqual([]);
    vi.advanceTimersByTime(1);
    await turn();
    expect(refused).toEqual([expected]);
    expect(socket.answer).toMatch(answer);
    expect(intake.stats()).toEqual({ reading: 0, waiting: 0 });
  }
});

test('a client that ends before its head does gets an answer, if it has sent something in HTTP', async () => {
  for (const [protocol, bytes, expected] of [
    ['http', undefined, '0 head-cut-off'],
    ['http', 'GET / ', '400 head-cut-off'],
    ['auto', HELLO_START, '0 head-cut-off'],
    ['tls-sni', HELLO_START, '0 head-cut-off'],
  ] as const) {
    const { connect, refused } = await openIntake({ protocol });
    const socket = connect();
    if (bytes !== undefined) await socket.say(bytes as string);
    await socket.say(null);
    expect(refused).toEqual([expected]);
  }
});

test('a client that leaves before its head is read is gone, which is published', async () => {
  const published: unknown[] = [];
  const note = (message: unknown): void => void published.push(message);
  subscribe('ticketing:socket-router:gone', note);
  onTestFinished(() => void unsubscribe('ticketing:socket-router:gone', note));
  const { connect, counts, refused, intake } = await openIntake();
  const socket = connect();
  await socket.say('GET / ');
  socket.destroy(new Error('reset'));
  await turn();
  expect(counts).toMatchObject({ accepted: 1, gone: 1 });
  expect(published).toEqual([{ kind: 'connection' }]);
  expect(refused).toEqual([]);
  expect(intake.stats().reading).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('a connection waits for maxWaitMs from the end of its head, with a worker that does not take it, and without one', async () => {
  const { connect, refused, workers, given, intake } = await openIntake();
  const underWay = connect();
  await underWay.say(HEAD);
  vi.advanceTimersByTime(MAX_WAIT_MS / 2);
  workers.ready = [];
  vi.advanceTimersByTime(MAX_WAIT_MS / 4);
  const waiting = connect();
  await waiting.say(HEAD);
  expect(intake.stats()).toEqual({ reading: 0, waiting: 1 });
  vi.advanceTimersByTime(MAX_WAIT_MS / 4 - 1);
  await turn();
  expect(refused).toEqual([]);
  vi.advanceTimersByTime(1);
  // Its claim may have arrived already.
  expect(refused).toEqual([]);
  await turn();
  await turn();
  expect([refused, given[0]?.stage.kind]).toEqual([['503 worker-timeout'], 'done']);
  expect(underWay.answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(underWay.answer).toContain('\r\nRetry-After: 1\r\n');
  vi.advanceTimersByTime((MAX_WAIT_MS * 3) / 4);
  await turn();
  expect(refused).toEqual(['503 worker-timeout', '503 worker-timeout']);
  expect(waiting.answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(intake.stats()).toEqual({ reading: 0, waiting: 0 });
});

test('a connection whose claim arrives as its time ends is claimed; one that is returned then has no time left', async () => {
  const { connect, refused, given, intake, queue, workers, counts } = await openIntake();
  await connect().say(HEAD);
  await connect().say(HEAD);
  vi.advanceTimersByTime(MAX_WAIT_MS);
  intake.queueChanged(queue, { kind: 'claimed', connection: given[0] as HeldConnection });
  workers.ready = [];
  intake.queueChanged(queue, {
    kind: 'unclaimed',
    connections: [given[1] as HeldConnection],
    reason: 'declined',
  });
  await turn();
  await turn();
  expect(refused).toEqual(['503 worker-timeout']);
  expect(counts).toMatchObject({ handedOver: 1, refused: 1 });
  expect(intake.stats()).toEqual({ reading: 0, waiting: 0 });
});

test('refuseWaiting() spares a connection under way, which destroy() cuts off', async () => {
  const { connect, refused, workers, intake, counts } = await openIntake();
  const underWay = connect();
  await underWay.say(HEAD);
  workers.ready = [];
  const waiting = connect();
  await waiting.say(HEAD);
  intake.refuseWaiting();
  await turn();
  expect(refused).toEqual(['503 closing']);
  expect([underWay.destroyed, waiting.destroyed]).toEqual([false, false]);
  intake.destroy();
  expect([underWay.destroyed, waiting.destroyed]).toEqual([true, true]);
  expect(counts).toMatchObject({ gone: 1, refused: 1 });
});

test('above limits.pending a client is refused, and above as many answers closed without one', async () => {
  const { connect, refused, counts } = await openIntake({ limits: { pending: 1 } });
  const held = connect();
  const [reply, unanswered] = [connect(), connect()];
  await turn();
  expect(refused).toEqual(['503 pending-full', '503 pending-full']);
  expect(reply.answer).toMatch(/^HTTP\/1\.1 503 /);
  expect([reply.destroyed, unanswered.destroyed, unanswered.answer]).toEqual([false, true, '']);
  await reply.say(null);
  expect(reply.destroyed).toBe(true);
  const next = connect();
  await turn();
  expect(next.answer).toMatch(/^HTTP\/1\.1 503 /);
  held.destroy();
  await turn();
  await connect().say(HEAD);
  expect(counts).toMatchObject({ accepted: 5, refused: 3, gone: 1 });
});

test('above limits.pending a TLS client gets an alert', async () => {
  const { connect } = await openIntake({ protocol: 'tls-sni', limits: { pending: 1 } });
  connect();
  const refused = connect();
  await turn();
  expect(refused.answer).toBe('\x15\x03\x01\x00\x02\x02\x50');
});

test('connections that a worker did not take are counted, reported, and sent again', async () => {
  const { connect, counts, rerouted, given, waits, intake, queue } = await openIntake();
  await connect().say(HEAD);
  const [connection] = given as [HeldConnection];
  markQueued(connection, 1);
  intake.queueChanged(queue, { kind: 'unclaimed', connections: [connection], reason: 'declined' });
  expect(rerouted).toEqual([{ slot: '0', reason: 'declined', connections: 1 }]);
  expect(counts.rerouted).toBe(1);
  expect(given).toEqual([connection, connection]);
  // Its wait has begun again.
  expect(waits.at(-1)).toBeGreaterThan(1);
});

test('a client that a queue reports as gone or overdue is no longer held', async () => {
  const { connect, counts, given, intake, refused, queue } = await openIntake();
  const sockets = [connect(), connect()];
  for (const socket of sockets) await socket.say(HEAD);
  intake.queueChanged(queue, { kind: 'gone', connection: given[0] as HeldConnection });
  intake.queueChanged(queue, { kind: 'overdue', connection: given[1] as HeldConnection });
  intake.queueChanged(queue, { kind: 'overdue', connection: given[1] as HeldConnection });
  await turn();
  expect(sockets[0]?.destroyed).toBe(true);
  expect(sockets[1]?.answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(counts).toMatchObject({ gone: 1, refused: 1 });
  expect(refused).toEqual(['503 queue-slow']);
});

test('a refusal by a route function is answered with its status', async () => {
  const { connect, refused } = await openIntake({ route: () => ({ refuse: 451 }) });
  const socket = connect();
  await socket.say(HEAD);
  expect(socket.answer).toMatch(/^HTTP\/1\.1 451 /);
  expect(refused).toHaveLength(1);
});

test('with protocol tcp a connection is handed over at once, and refused without an answer', async () => {
  const { connect, given, workers, intake, refused, queue } = await openIntake({
    protocol: 'tcp',
    limits: { pending: 3 },
  });
  connect();
  expect(given).toMatchObject([
    { id: 1, hasHead: false, stage: { kind: 'sent' }, bytes: Buffer.alloc(0) },
  ]);
  workers.ready = [];
  vi.advanceTimersByTime(MAX_WAIT_MS / 2);
  const waiting = connect();
  expect(intake.stats()).toEqual({ reading: 0, waiting: 1 });
  // One that comes back has the rest of its time.
  intake.queueChanged(queue, { kind: 'unclaimed', connections: given, reason: 'worker-down' });
  expect(intake.stats()).toEqual({ reading: 0, waiting: 2 });
  vi.advanceTimersByTime(MAX_WAIT_MS / 2);
  expect(refused).toEqual(['503 worker-timeout']);
  vi.advanceTimersByTime(MAX_WAIT_MS / 2);
  expect(refused).toEqual(['503 worker-timeout', '503 worker-timeout']);
  const three = [connect(), connect(), connect()];
  const above = connect();
  expect(refused.at(-1)).toBe('503 pending-full');
  expect(above).toMatchObject({ destroyed: true, answer: '' });
  expect(waiting).toMatchObject({ destroyed: true, answer: '' });
  intake.refuseWaiting();
  expect(three.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  expect(vi.getTimerCount()).toBe(0);
});
