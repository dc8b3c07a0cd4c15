import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { RouterWorker } from '../src/contract/worker-source.ts';
import { finish } from '../src/placing/held-connection.ts';
import { type QueueEvent, WorkerQueue } from '../src/placing/worker-queue.ts';
import { monotonicMs } from '../src/wire/monotonic-clock.ts';
import { held } from './held.ts';
import { SimulatedChannel } from './simulated-channel.ts';

let channel: SimulatedChannel;
let queue: WorkerQueue;
let heard: string[];

beforeEach(() => {
  channel = new SimulatedChannel();
  heard = [];
  queue = queueOf(channel.asWorker());
  channel.say({ kind: 'ready' });
});
afterEach(() => {
  queue.release();
  vi.useRealTimers();
});

function queueOf(worker: RouterWorker): WorkerQueue {
  return new WorkerQueue(worker, {
    router: 'router',
    claimTimeoutMs: 1000,
    maxWaitMs: 60_000,
    stuckTimeoutMs: 5000,
    emit: (_, event) => event.kind === 'free' || heard.push(textOf(event)),
  });
}

/** An event by its kind, with the connections that it is about. */
function textOf(event: QueueEvent): string {
  if (event.kind === 'unclaimed')
    return `unclaimed ${event.connections.map(({ id }) => id)} ${event.reason}`;
  return 'connection' in event ? `${event.kind} ${event.connection.id}` : event.kind;
}

const claim = (id: number): void => channel.say({ kind: 'claim', id, open: id });

test('one connection is under way at a time, the next one follows its claim', () => {
  for (const id of [1, 2, 3]) queue.enqueue(held(id));
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([1]);
  expect(queue.queued).toBe(3);
  claim(1);
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([1, 2]);
  claim(2);
  claim(3);
  expect(heard).toEqual(['ready', 'claimed 1', 'claimed 2', 'claimed 3']);
  expect(queue).toMatchObject({ queued: 0, open: 3, load: 3, handedOver: 3 });
});

test('a message has what the worker must know about a connection', () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  vi.advanceTimersByTime(0.6);
  const now = monotonicMs();
  const end = { address: '192.0.2.1', port: 1 };
  const proxy = { source: end, destination: end };
  const large = Buffer.alloc(8193, 'a');
  queue.enqueue({ ...held(1), arrivedAt: now - 53_400 });
  queue.enqueue({ ...held(2), choice: { kind: 'key', key: 'Madrid' }, proxy });
  queue.enqueue({ ...held(3), choice: { kind: 'slot', slot: '0' }, bytes: large.subarray(1) });
  queue.enqueue({ ...held(4), bytes: large });
  for (const id of [1, 2, 3, 4]) claim(id);
  const all = { tag: 'ticketing:socket-router', router: 'router', kind: 'hand' };
  const common = { ...all, bytes: 'GET', before: Math.floor(now + 750), arrivedAt: now };
  expect(channel.hands.map(({ message }) => message)).toEqual([
    // Nine tenths of `maxWaitMs` from its arrival are over before the time for a claim.
    { ...common, id: 1, arrivedAt: now - 53_400, before: Math.floor(now + 600) },
    { ...common, id: 2, key: 'Madrid', isRouted: true, proxy },
    { ...common, id: 3, isRouted: true, bytes: 'a'.repeat(8192) },
    { ...common, id: 4, bytes: large },
  ]);
});

test('where there is a file, bytes too long for a message are in an area of the queue', () => {
  const written: [number, string][] = [];
  let isFull = false;
  let end = 0;
  const file = {
    workerFd: 4,
    reserve: (bytes: number) => {
      end += bytes;
      return end - bytes;
    },
    write: (bytes: Uint8Array, at: number) => {
      if (!isFull) written.push([at, Buffer.from(bytes).toString('latin1')]);
      return !isFull;
    },
  };
  const queues = [0, 1].map(() => queueOf(channel.asWorker('0', file)));
  onTestFinished(() => {
    for (const each of queues) each.release();
  });
  const bytesOf = (): unknown => channel.hands.at(-1)?.message['bytes'];
  const send = (to: number, id: number, bytes: Buffer): void => {
    queues[to]?.enqueue({ ...held(id), bytes });
  };
  const [one, other] = [Buffer.alloc(8193, 'a'), Buffer.alloc(131_072, 'b')];
  send(0, 1, one);
  expect(bytesOf()).toEqual({ fd: 4, at: 0, length: 8193 });
  send(1, 2, other);
  expect(bytesOf()).toEqual({ fd: 4, at: 131_072, length: 131_072 });
  claim(1);
  send(0, 3, other);
  expect(bytesOf()).toEqual({ fd: 4, at: 0, length: 131_072 });
  expect(written).toEqual([
    [0, one.toString()],
    [131_072, other.toString()],
    [0, other.toString()],
  ]);
  claim(3);
  // Longer than the area, short enough for a message, or the file has no room: a text.
  send(0, 4, Buffer.alloc(131_073, '\u00ff', 'latin1'));
  expect(bytesOf()).toBe('\u00ff'.repeat(131_073));
  claim(4);
  send(0, 5, one.subarray(1));
  expect(bytesOf()).toBe('a'.repeat(8192));
  claim(5);
  isFull = true;
  send(0, 6, one);
  expect(bytesOf()).toBe('a'.repeat(8193));
});

test('drain() asks the worker, and resolves when all its connections have ended or it is down', async () => {
  const ends = vi.fn();
  channel.say({ kind: 'load', open: 3 });
  void queue.drain({ graceMs: 70, lameDuckMs: 0 }).then(ends);
  expect(channel.sent.at(-1)?.message).toMatchObject({ kind: 'drain', graceMs: 70 });
  expect(queue.stats()).toEqual({
    slot: '0',
    pid: 1,
    state: 'ready',
    queued: 0,
    open: 3,
    handedOver: 0,
  });
  await Promise.resolve();
  expect(ends).not.toHaveBeenCalled();
  channel.say({ kind: 'drained' });
  await Promise.resolve();
  expect(ends).toHaveBeenCalledTimes(1);
  expect(queue.open).toBe(0);
  void queue.drain({ graceMs: 70, lameDuckMs: 0 }).then(ends);
  channel.emit('disconnect');
  await Promise.resolve();
  expect(ends).toHaveBeenCalledTimes(2);
  const { length } = channel.sent;
  await queue.drain({ graceMs: 70, lameDuckMs: 0 });
  expect(channel.sent).toHaveLength(length);
});

test('a queue that is down or released gets no more messages, and leaves no timer', () => {
  vi.useFakeTimers();
  queue.enqueue(held(1));
  channel.emit('exit');
  expect(vi.getTimerCount()).toBe(2);
  channel.emit('disconnect');
  expect(vi.getTimerCount()).toBe(0);
  expect(['message', 'disconnect', 'close', 'exit'].map((e) => channel.listenerCount(e))).toEqual([
    0, 0, 0, 0,
  ]);
});

test('a process that has ended is down after a while, though its channel has no end', () => {
  vi.useFakeTimers();
  channel.emit('exit');
  channel.emit('exit');
  expect(heard).toEqual(['ready', 'retired']);
  vi.advanceTimersByTime(499);
  expect(queue.state).toBe('retired');
  vi.advanceTimersByTime(1);
  expect(queue.state).toBe('down');
  expect(heard).toEqual(['ready', 'retired', 'down']);
});

test('a connection that could not be sent is returned, and the worker gets the next one', () => {
  const send = channel.send.bind(channel);
  channel.send = (_message, _handle, _options, callback) => {
    channel.send = send;
    callback(Object.assign(new Error('no descriptor'), { code: 'EMFILE' }));
    return false;
  };
  queue.enqueue(held(1));
  queue.enqueue(held(2));
  expect(heard).toEqual(['ready', 'unclaimed 1 unsent']);
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([2]);
  expect(queue.state).toBe('ready');
});

test('a worker that drains declines the connection under way, and gets no more', () => {
  queue.enqueue(held(1));
  queue.enqueue(held(2));
  channel.say({ kind: 'decline', id: 9, why: 'draining' });
  expect(queue.state).toBe('ready');
  channel.say({ kind: 'decline', id: 1, why: 'draining' });
  expect(heard).toEqual(['ready', 'retired', 'unclaimed 2 declined', 'unclaimed 1 declined']);
  channel.say({ kind: 'ready' });
  expect(queue.state).toBe('retired');
  expect(channel.hands).toHaveLength(1);
});

test('a queue of 100,000 is sent once, one connection per claim', () => {
  const connection = held(1);
  const count = 100_000;
  for (let id = 1; id <= count; id++) queue.enqueue({ ...connection, id });
  // Counted: so many expectations take longer than all else.
  let alone = 0;
  for (let id = 1; id <= count; id++) {
    if (channel.hands.length === 1) alone += 1;
    channel.sent.length = 0;
    claim(id);
  }
  expect(alone).toBe(count);
  expect(channel.hands).toEqual([]);
  expect(queue).toMatchObject({ handedOver: count, queued: 0 });
});

test('a client that left in the queue is not sent', () => {
  const [first, second, third] = [held(1), held(2), held(3)];
  for (const connection of [first, second, third]) queue.enqueue(connection);
  second.socket.destroy();
  claim(1);
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([1, 3]);
  expect(heard).toContain('gone 2');
});

test('a client that left while its connection was under way belongs to the claiming worker', () => {
  const connection = held(1);
  queue.enqueue(connection);
  connection.socket.destroy();
  claim(1);
  expect(heard).toEqual(['ready', 'claimed 1']);
});

test('a connection whose message came without its handle gets another worker, or another try', () => {
  queue.enqueue(held(1));
  queue.enqueue(held(2));
  channel.say({ kind: 'decline', id: 1, why: 'missing' });
  expect(heard).toEqual(['ready', 'unclaimed 1 declined']);
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([1, 2]);
});

test('a worker that does not claim in time is stuck until it answers; its connections are returned', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime', 'performance'],
  });
  queue.enqueue(held(1));
  queue.enqueue(held(2));
  await vi.advanceTimersByTimeAsync(990);
  expect(queue.state).toBe('ready');
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual(['ready', 'stuck', 'unclaimed 1,2 worker-stuck']);
  expect(queue).toMatchObject({ state: 'stuck', queued: 0 });
  channel.say({ kind: 'load', open: 5 });
  expect(queue.state).toBe('stuck');
  channel.say({ kind: 'decline', id: 1, why: 'late' });
  expect(queue.state).toBe('ready');
  queue.enqueue(held(3));
  expect(channel.hands.at(-1)?.message['id']).toBe(3);
});

test('a claim that comes after the connection went to another worker is ignored', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime', 'performance'],
  });
  queue.enqueue(held(1));
  await vi.advanceTimersByTimeAsync(1010);
  claim(1);
  expect(heard).toEqual(['ready', 'stuck', 'unclaimed 1 worker-stuck', 'ready']);
  expect(queue.handedOver).toBe(0);
});

test('a claim in time postpones the check', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime', 'performance'],
  });
  queue.enqueue(held(1));
  await vi.advanceTimersByTimeAsync(900);
  claim(1);
  queue.enqueue(held(2));
  await vi.advanceTimersByTimeAsync(900);
  expect(queue.state).toBe('ready');
  await vi.advanceTimersByTimeAsync(200);
  expect(heard).toEqual(['ready', 'claimed 1', 'stuck', 'unclaimed 2 worker-stuck']);
});

test('a channel that ends returns all connections, once', () => {
  for (const id of [1, 2, 3]) queue.enqueue(held(id));
  channel.emit('exit');
  expect(heard).toEqual(['ready', 'retired', 'unclaimed 2,3 worker-down']);
  // The last claim of a process that has died is still read.
  claim(1);
  channel.emit('disconnect');
  channel.emit('close');
  expect(heard).toEqual(['ready', 'retired', 'unclaimed 2,3 worker-down', 'claimed 1', 'down']);
});

test('a process that died with a connection under way returns it when the channel has ended', () => {
  queue.enqueue(held(1));
  channel.emit('exit');
  expect(heard).toEqual(['ready', 'retired']);
  channel.emit('close');
  expect(heard).toEqual(['ready', 'retired', 'down', 'unclaimed 1 worker-down']);
});

test('a channel that refuses a connection gets no more', () => {
  channel.send = (_message, _handle, _options, callback) => {
    callback(Object.assign(new Error('closed'), { code: 'ERR_IPC_CHANNEL_CLOSED' }));
    return false;
  };
  queue.enqueue(held(1));
  expect(heard).toEqual(['ready', 'retired', 'unclaimed 1 unsent']);
  expect(queue.state).toBe('retired');
});

test('a worker that retires returns queued connections, and keeps claimed ones', () => {
  for (const id of [1, 2]) queue.enqueue(held(id));
  channel.say({ kind: 'retire' });
  claim(1);
  expect(heard).toEqual(['ready', 'retired', 'unclaimed 2 declined', 'claimed 1']);
  expect(channel.sent.at(-1)?.message.kind).toBe('retired');
});

test('foreign messages, and those of other routers, are ignored', () => {
  queue.enqueue(held(1));
  for (const message of [
    null,
    'text',
    7,
    {},
    { tag: 'other', kind: 'claim', id: 1 },
    [],
    undefined,
  ]) {
    channel.emit('message', message);
  }
  channel.say({ kind: 'claim', id: 1, router: 'another' });
  channel.say({ kind: 'unknown' });
  channel.say({ kind: 'claim', id: 99, open: 0 });
  expect(heard).toEqual(['ready']);
});

test('a connection that waited for longer than maxWaitMs is not sent when its turn comes; the next one is', () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  for (const id of [1, 2, 3]) {
    queue.enqueue(held(id), monotonicMs());
    if (id === 2) expect(queue.firstWaitsSince).toBe(monotonicMs());
    vi.advanceTimersByTime(id === 2 ? 54_000 : 1);
  }
  claim(1);
  expect(heard).toEqual(['ready', 'claimed 1', 'overdue 2']);
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([1, 3]);
  expect(queue.firstWaitsSince).toBeUndefined();
});

test('a connection that its timer has refused is no longer the first of the queue', () => {
  const [first, second, third] = [held(1), held(2), held(3)];
  for (const [since, connection] of [first, second, third].entries())
    queue.enqueue(connection, since);
  expect(queue.firstWaitsSince).toBe(1);
  finish(second);
  expect([queue.firstWaitsSince, queue.queued]).toEqual([2, 2]);
});

test('a connection that its timer has refused is not sent again, and counts for nothing, whatever its worker does', () => {
  const [first, second] = [held(1), held(2)];
  for (const connection of [first, second]) queue.enqueue(connection);
  finish(first);
  expect(queue.queued).toBe(1);
  channel.say({ kind: 'decline', id: 1, why: 'late' });
  expect(channel.hands.map(({ message }) => message['id'])).toEqual([1, 2]);
  finish(second);
  claim(2);
  expect([heard, queue.handedOver, queue.queued]).toEqual([['ready'], 0, 0]);
  const last = held(3);
  queue.enqueue(last);
  finish(last);
  channel.emit('disconnect');
  expect(heard).toEqual(['ready', 'down']);
});

test('a worker that is stuck for stuckTimeoutMs is reported as lost, once; one that answers before is not', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime', 'performance'],
  });
  queue.enqueue(held(1));
  await vi.advanceTimersByTimeAsync(1010);
  await vi.advanceTimersByTimeAsync(4980);
  channel.say({ kind: 'decline', id: 1, why: 'late' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(heard).not.toContain('lost');
  queue.enqueue(held(2));
  await vi.advanceTimersByTimeAsync(1010);
  await vi.advanceTimersByTimeAsync(5000);
  expect(heard.filter((event) => event === 'lost')).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard.filter((event) => event === 'lost')).toHaveLength(1);
});

test('a stuck worker with an open inspector is not reported as lost: it may be at a breakpoint', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime', 'performance'],
  });
  channel.say({ kind: 'inspector', url: 'ws://127.0.0.1:1/a' });
  queue.enqueue(held(1));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(queue.state).toBe('stuck');
  expect(heard).not.toContain('lost');
  channel.say({ kind: 'inspector' });
  await vi.advanceTimersByTimeAsync(5000);
  expect(heard.filter((event) => event === 'lost')).toHaveLength(1);
});

test('a worker that is stuck and ends is not reported as lost', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'hrtime', 'performance'],
  });
  queue.enqueue(held(1));
  await vi.advanceTimersByTimeAsync(1010);
  expect(queue.state).toBe('stuck');
  channel.emit('exit');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard).not.toContain('lost');
});
