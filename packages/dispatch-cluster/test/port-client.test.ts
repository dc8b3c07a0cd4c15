import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type FromPort, fromPort, monotonicMs } from '../src/port/port-messages.ts';
import { PortClient } from '../src/worker/port-client.ts';
import type { HttpServer } from '../src/worker/worker-options.ts';

/** Messages to the primary. The module binds `process.send` when it loads. */
const { sent, restoreSend } = vi.hoisted(() => {
  vi.resetModules();
  const sent: Record<string, unknown>[] = [];
  const own = Object.getOwnPropertyDescriptor(process, 'send');
  Object.defineProperty(process, 'send', {
    configurable: true,
    value: ({ ticketing: _, ...message }: Record<string, unknown>, handle?: unknown) =>
      sent.push(handle == null ? message : { ...message, handle }) > 0,
  });
  return {
    sent,
    restoreSend: () => {
      if (own === undefined) Reflect.deleteProperty(process, 'send');
      else Object.defineProperty(process, 'send', own);
    },
  };
});
restoreSend();

beforeEach(() => {
  sent.length = 0;
  vi.useFakeTimers({ toFake: ['hrtime'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** A server whose port is held elsewhere; the test plays the primary. */
function open({ connections = 0, ...settings }: Record<string, unknown> = {}) {
  const server = Object.assign(new net.Server(), settings);
  const asked: string[] = [];
  const client = new PortClient(server as unknown as HttpServer, {
    open: () => connections as number,
    replace: () => asked.push('successor'),
  });
  const before = process.listeners('message');
  const heeding = () => process.listeners('message').filter((each) => !before.includes(each));
  onTestFinished(() => {
    for (const listener of heeding()) process.off('message', listener);
  });
  const tell = (message: FromPort | object, handle?: unknown) => {
    const told = 'kind' in message ? fromPort(message as FromPort) : message;
    for (const listener of heeding()) listener(told, handle as Socket);
  };
  const adopted: unknown[] = [];
  server.on('connection', (socket) => adopted.push(socket));
  return { server, client, asked, heeding, tell, adopted };
}

/** A connection, with a record of the calls on it. */
function createSocket() {
  const done: unknown[] = [];
  const note =
    (name: string) =>
    (...all: unknown[]) =>
      done.push([name, ...all]);
  const socket = {
    allowHalfOpen: undefined,
    destroy: note('destroy'),
    setNoDelay: note('setNoDelay'),
    setKeepAlive: note('setKeepAlive'),
  };
  return { socket, done };
}

const callback = () => {};
test.each<[unknown[], object]>([
  [[], { port: 0 }],
  [[callback], { port: 0 }],
  [[0], { port: 0 }],
  [['8080'], { port: 8080 }],
  [[8080, callback], { port: 8080 }],
  [[8080, '::1'], { port: 8080, host: '::1' }],
  [[8080, '::1', callback], { port: 8080, host: '::1' }],
  [[8080, '::1', 7, callback], { port: 8080, host: '::1', backlog: 7 }],
  [['/run/app.sock', callback], { path: '/run/app.sock' }],
  [['8080.sock'], { path: '8080.sock' }],
  [[{ port: 1, host: null, backlog: 7, exclusive: false }], { port: 1, backlog: 7 }],
  [[{ path: 'a', signal: new AbortController().signal }], { path: 'a' }],
])('listen(...%j) asks the primary for just that', (all, options) => {
  const { server, heeding } = open();
  expect((server.listen as (...all: unknown[]) => unknown)(...all)).toBe(server);
  expect(sent).toEqual([{ kind: 'listen', options }]);
  expect(Object.keys(sent[0]?.['options'] as object)).toEqual(Object.keys(options));
  expect([heeding().length, server.listening]).toEqual([1, false]);
});

test("a server's own port is neither requested from the primary nor left there", async () => {
  const { server, client, heeding } = open();
  server.listen({ port: 0, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  const closed = once(server, 'close');
  await client.leave();
  await closed;
  expect([sent, heeding(), server.listening]).toEqual([[], [], false]);
});

test("a server listens from the primary's answer until it leaves, and then ignores messages", async () => {
  const { server, client, heeding, tell } = open();
  const heard = vi.fn();
  server.listen(8080, heard);
  const address = { address: '::', port: 8080 };
  tell({ kind: 'listening', address, keep: false });
  tell({ kind: 'listening', address, keep: false });
  expect([server.listening, server.address(), heard.mock.calls.length]).toEqual([true, address, 1]);
  tell({ kind: 'ping', id: 3 });
  tell({ ticketing: 'another' });
  const left = client.leave();
  expect([server.listening, heeding().length]).toEqual([true, 1]);
  tell({ kind: 'quitted' });
  await left;
  expect([server.listening, server.address(), heeding()]).toEqual([false, null, []]);
  expect(sent.map(({ kind, id }) => [kind, id])).toEqual([
    ['listen', undefined],
    ['pong', 3],
    ['quit', undefined],
  ]);
});

test('a server accepts from a shared socket, which the primary may keep, until the server leaves', async () => {
  const { server, client, tell, adopted } = open();
  server.listen(8080);
  const shared = Object.assign(new net.Server(), { _handle: { of: 'the socket' } });
  const close = vi.spyOn(shared, 'close').mockReturnValue(shared);
  tell({ kind: 'listening', address: null, keep: true }, shared);
  expect(sent.slice(1)).toEqual([{ kind: 'keep', handle: { of: 'the socket' } }]);
  const { socket } = createSocket();
  shared.emit('connection', socket);
  expect(adopted).toEqual([socket]);
  // One connection that cannot be accepted ends no worker.
  shared.emit('error', new Error('EMFILE'));
  const left = client.leave();
  expect([close.mock.calls.length, sent.at(-1)]).toEqual([1, { kind: 'quit' }]);
  tell({ kind: 'quitted' });
  await left;
});

test('a port that cannot be opened is an error of the server, which then ignores messages', () => {
  const { server, heeding, tell } = open();
  const errors: unknown[] = [];
  server.on('error', (error) => errors.push(error)).listen(8080);
  tell({ kind: 'failed', error: { message: 'It is taken', code: 'EADDRINUSE', port: 8080 } });
  expect(errors).toEqual([
    Object.assign(new Error('It is taken'), { code: 'EADDRINUSE', port: 8080 }),
  ]);
  expect([heeding(), server.listening]).toEqual([[], false]);
});

test('a request for a successor is passed on, once for each', () => {
  const { server, asked, tell } = open();
  server.listen(0);
  tell({ kind: 'ping', id: 1 });
  expect(asked).toEqual([]);
  tell({ kind: 'replace' });
  expect([asked, sent.map(({ kind }) => kind)]).toEqual([['successor'], ['listen', 'pong']]);
});

test.each([
  ['in time', { leftMs: 1 }, 'claim', undefined],
  ['at its time', { leftMs: 0 }, 'decline', 'late'],
  ['without its handle', { leftMs: 1, isMissing: true }, 'decline', 'missing'],
  ['with one less than maxConnections', { leftMs: 1, maxConnections: 3 }, 'claim', undefined],
  ['with maxConnections', { leftMs: 1, maxConnections: 2 }, 'decline', 'full'],
])(
  'a connection that is handed over %s',
  (_, {
    leftMs,
    isMissing,
    maxConnections,
  }: { leftMs: number; isMissing?: boolean; maxConnections?: number }, kind, why) => {
    const { server, tell, adopted } = open({ connections: 2, maxConnections: maxConnections ?? 0 });
    server.listen(0);
    const { socket, done } = createSocket();
    tell({ kind: 'hand', id: 9, before: monotonicMs() + leftMs }, isMissing ? undefined : socket);
    expect(sent.slice(1)).toEqual([{ kind, id: 9, ...(why && { why }) }]);
    expect(adopted).toEqual(kind === 'claim' ? [socket] : []);
    expect(done).toEqual(kind === 'claim' || isMissing ? [] : [['destroy']]);
  },
);

test('a connection that a stopped process claims too late gets no answer', () => {
  const { server, tell, adopted } = open();
  server.listen(0);
  const { socket, done } = createSocket();
  const push = vi.spyOn(sent, 'push').mockImplementation(() => {
    vi.advanceTimersByTime(1);
    return 1;
  });
  tell({ kind: 'hand', id: 9, before: monotonicMs() + 1 }, socket);
  expect(push).toHaveBeenCalledWith({ kind: 'claim', id: 9 });
  push.mockRestore();
  expect([adopted, done]).toEqual([[], [['destroy']]]);
});

test.each([
  [{}, false, []],
  [{ allowHalfOpen: true, noDelay: true }, true, [['setNoDelay', true]]],
  [{ keepAlive: true, keepAliveInitialDelay: 500 }, false, [['setKeepAlive', true, 500]]],
])('a connection has the settings %j of its server', (settings, allowHalfOpen, calls) => {
  const { server, tell } = open();
  Object.assign(server, { allowHalfOpen: undefined, ...settings });
  server.listen(0);
  const { socket, done } = createSocket();
  tell({ kind: 'hand', id: 9, before: monotonicMs() + 1 }, socket);
  expect([socket.allowHalfOpen, done]).toEqual([allowHalfOpen, calls]);
});
