import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { createServer, Server as PlainServer, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { InheritedFile } from '../src/source/shared-file.ts';
import { monotonicMs } from '../src/wire/monotonic-clock.ts';
import { AttachedServer } from '../src/worker/attached-server.ts';
import type { RouterChannel } from '../src/worker/router-link.ts';
import { received } from './clients.ts';

/** A router as the worker sees it, played by the test. */
class SimulatedRouter extends EventEmitter {
  connected = true;
  readonly heard: Record<string, unknown>[] = [];

  send(message: Record<string, unknown>): boolean {
    this.heard.push(message);
    return true;
  }

  say(message: object, handle?: Socket): void {
    this.emit('message', { tag: 'ticketing:socket-router', router: 'router', ...message }, handle);
  }

  get kinds(): unknown[] {
    return this.heard.map(({ kind, why }) => why ?? kind);
  }
}

function attach(server: Server, { orphanGraceMs = 0, exit = () => {} } = {}) {
  const router = new SimulatedRouter();
  const handle = new AttachedServer(server, {
    route: undefined,
    orphanGraceMs,
    exit,
    channel: router as unknown as RouterChannel,
  });
  router.say({ kind: 'hello', laterRequests: 'connection', slot: '0' });
  return { router, handle };
}

/** Both ends of a connection; the first is the worker's. */
async function connection(): Promise<[Socket, Socket]> {
  const listener = createNetServer({ highWaterMark: 0 }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect((listener.address() as { port: number }).port, '127.0.0.1');
  const [served] = await once(listener, 'connection');
  listener.close();
  onTestFinished(() => {
    client.destroy();
    served.destroy();
  });
  return [served, client];
}

const GET = Buffer.from('GET /one HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
const TIMEOUTS = {
  key: readFileSync(new URL('workers/tls/key.pem', import.meta.url)),
  cert: readFileSync(new URL('workers/tls/cert.pem', import.meta.url)),
  headersTimeout: 20,
  requestTimeout: 20,
  connectionsCheckingInterval: 5,
};
const answer = (_: unknown, response: { end(): unknown }) => void response.end();
const inTime = (): number => monotonicMs() + 1000;

test('a worker reports that it is attached, and its readiness to each router', async () => {
  const { router } = attach(createServer());
  await new Promise(setImmediate);
  expect(router.heard).toMatchObject([
    { kind: 'attached', router: '*' },
    { kind: 'ready', router: 'router' },
  ]);
});

test('a connection is claimed before the server sees it, and answered', async () => {
  const { router } = attach(
    createServer((request, response) => {
      expect(router.heard.at(-1)).toMatchObject({ kind: 'claim', id: 7, open: 1 });
      response.end(request.url);
    }),
  );
  const [served, client] = await connection();
  router.say({ kind: 'hand', id: 7, bytes: GET.toString('latin1'), before: inTime() }, served);
  const [answer] = await once(client, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\/one$/);
});

test.each([GET, JSON.parse(JSON.stringify(GET))])(
  'long bytes come as a buffer, and as an object through JSON',
  async (bytes) => {
    const { router } = attach(createServer((request, response) => response.end(request.url)));
    const [served, client] = await connection();
    router.say({ kind: 'hand', id: 1, bytes, before: inTime() }, served);
    const [answer] = await once(client, 'data');
    expect(String(answer)).toContain('/one');
  },
);

test('bytes in a file are read before the claim: after it the file has those of another connection', async () => {
  const file = new InheritedFile(tmpdir());
  onTestFinished(() => file.close());
  const { router } = attach(createServer((request, response) => response.end(request.url)));
  const at = file.reserve(1) + 100;
  expect(file.write(GET, at)).toBe(true);
  router.send = ({ kind }) => {
    if (kind === 'claim') file.write(Buffer.from(GET.toString().replace('one', 'two')), at);
    return true;
  };
  const [served, client] = await connection();
  const bytes = { fd: file.fd, at, length: GET.length };
  router.say({ kind: 'hand', id: 1, bytes, before: inTime() }, served);
  const [answer] = await once(client, 'data');
  expect(String(answer)).toContain('/one');
});

test('a connection that comes too late is declined: another worker has it', async () => {
  let requests = 0;
  const { router, handle } = attach(
    createServer(() => {
      requests += 1;
    }),
  );
  const [served] = await connection();
  router.say(
    { kind: 'hand', id: 1, bytes: GET.toString('latin1'), before: monotonicMs() - 1 },
    served,
  );
  expect(served.destroyed).toBe(true);
  expect(router.kinds).toContain('late');
  expect(router.kinds).not.toContain('claim');
  expect(handle.connections).toBe(0);
  expect(requests).toBe(0);
});

test('a message without its handle is declined', () => {
  const { router } = attach(createServer());
  router.say({ kind: 'hand', id: 1, bytes: GET.toString('latin1'), before: inTime() });
  expect(router.heard.at(-1)).toMatchObject({ kind: 'decline', id: 1, why: 'missing' });
});

test.each([
  ['http', () => createServer(TIMEOUTS, answer)],
  ['https', () => createHttps(TIMEOUTS, answer)],
  // Earlier ones leave the timeouts of these servers at half a minute.
  ...(Number.parseInt(process.versions.node, 10) < 24
    ? []
    : [['http2', () => createSecureServer({ ...TIMEOUTS, allowHTTP1: true }, answer)] as const]),
] as const)(
  'a server of %s that does not listen reports nothing else, and ends heads that do not end',
  async (_, create) => {
    const server = create();
    const events: unknown[] = [];
    // A port would be asked for here.
    server.on('listening', () => events.push(server.address()));
    const { router } = attach(server as Server);
    expect(events).toEqual([]);
    const [served, client] = await connection();
    const begun = GET.toString('latin1').slice(0, 20);
    // Over TLS it is what TLS carries that has the timeout.
    if (server instanceof PlainServer) {
      router.say({ kind: 'hand', id: 1, bytes: begun, before: inTime() }, served);
      expect(await received(client)).toMatch(/^HTTP\/1\.1 408 /);
    } else {
      router.say({ kind: 'hand', id: 1, before: inTime() }, served);
      const secure = connectTls({
        socket: client,
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      secure.write(begun);
      expect(await received(secure)).toMatch(/^HTTP\/1\.1 408 /);
    }
    server.close();
  },
);

test('a worker that closes answers the request that came, and processes none behind it [own-answer]', async () => {
  const seen: unknown[] = [];
  const { router, handle } = attach(
    createServer((request, response) => {
      seen.push(request.url);
      response.end(request.url);
    }),
  );
  const [served, client] = await connection();
  router.say({ kind: 'hand', id: 1, bytes: '', before: inTime() }, served);
  const closed = handle.close({ graceMs: 60_000 });
  router.say({ kind: 'retired' });
  await until(() => handle.draining.aborted);
  const next = GET.toString('latin1').replace('Connection: close\r\n', '');
  client.write(next.repeat(3));
  expect((await received(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(seen).toEqual(['/one']);
  await closed;
});

test('foreign messages are ignored', () => {
  const { router } = attach(createServer());
  const before = router.heard.length;
  for (const message of [null, 'text', 0, {}, [], { tag: 'another', kind: 'hand' }]) {
    router.emit('message', message);
  }
  router.say({ kind: 'unknown' });
  expect(router.heard.length).toBe(before);
});

test('a worker that closes takes no more, after it has notified its routers', async () => {
  const { router, handle } = attach(createServer());
  const closed = handle.close({ graceMs: 1000 });
  expect(router.heard.at(-1)).toMatchObject({ kind: 'retire', router: 'router' });
  const [served] = await connection();
  router.say({ kind: 'hand', id: 1, bytes: GET.toString('latin1'), before: inTime() }, served);
  expect(router.kinds.at(-1)).toBe('draining');
  router.say({ kind: 'retired' });
  await closed;
  expect(handle.draining.aborted).toBe(true);
  expect(router.listenerCount('message') + router.listenerCount('disconnect')).toBe(0);
  await handle.close();
});

test('a worker that closes does not wait for the rest of a head, which is no request, but for an upgrade', async () => {
  const server = createServer();
  const upgraded = once(server, 'upgrade');
  const { router, handle } = attach(server);
  const [half, client] = await connection();
  const [socket] = await connection();
  const begun = GET.toString('latin1').slice(0, 20);
  router.say({ kind: 'hand', id: 1, bytes: begun, before: inTime() }, half);
  const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: any\r\n\r\n';
  router.say({ kind: 'hand', id: 2, bytes: upgrade, before: inTime() }, socket);
  await upgraded;
  const closed = handle.close({ graceMs: 60_000, lameDuckMs: 0 });
  router.say({ kind: 'retired' });
  await once(client.resume(), 'close');
  expect(handle.connections).toBe(1);
  socket.destroy();
  await closed;
});

test('a worker that closes waits for a request whose body its server asks for itself', async () => {
  const server = createServer();
  const asked = once(server, 'checkContinue');
  const { router, handle } = attach(server);
  const [socket, client] = await connection();
  const [half, halfClient] = await connection();
  const head =
    'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n';
  router.say({ kind: 'hand', id: 1, bytes: head, before: inTime() }, socket);
  const [, response] = await asked;
  const begun = GET.toString('latin1').slice(0, 20);
  router.say({ kind: 'hand', id: 2, bytes: begun, before: inTime() }, half);
  const all = received(client);
  const closed = handle.close({ graceMs: 60_000, lameDuckMs: 0 });
  router.say({ kind: 'retired' });
  // A sweep has closed the connection that has no request.
  await once(halfClient.resume(), 'close');
  response.end('no');
  expect(await all).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*no/);
  await closed;
});

test('the number of open connections is reported some time after a change', async () => {
  const { router, handle } = attach(createServer((_, response) => response.end()));
  const [served, client] = await connection();
  router.say({ kind: 'hand', id: 1, bytes: GET.toString('latin1'), before: inTime() }, served);
  expect(handle.connections).toBe(1);
  await once(client.resume(), 'close');
  await until(() => router.heard.at(-1)?.['kind'] === 'load');
  expect(router.heard.at(-1)).toMatchObject({ open: 0 });
});

test('a router that is gone lets its connections finish', async () => {
  let answer = (): void => {};
  const exit = vi.fn();
  const { router, handle } = attach(
    createServer((_, response) => {
      answer = () => response.end('late');
    }),
    { orphanGraceMs: 60_000, exit },
  );
  const [served, client] = await connection();
  router.say({ kind: 'hand', id: 1, bytes: GET.toString('latin1'), before: inTime() }, served);
  const all = received(client);
  await new Promise(setImmediate);
  router.connected = false;
  router.emit('disconnect');
  expect(handle.connections).toBe(1);
  expect(exit).not.toHaveBeenCalled();
  answer();
  expect(await all).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*late/);
  await until(() => exit.mock.calls.length === 1);
  expect(handle.connections).toBe(0);
  expect(router.kinds).not.toContain('drained');
});

test('a worker that its router has drained closes at once: it would get no answer', async () => {
  const { router, handle } = attach(createServer());
  router.say({ kind: 'drain', graceMs: 1000 });
  await until(() => router.kinds.includes('drained'));
  const begin = performance.now();
  await handle.close({ graceMs: 60_000 });
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect(router.kinds).not.toContain('retire');
});

test('a worker greeted by a closed router is not ready for it, and serves the others', async () => {
  const { router, handle } = attach(createServer());
  const folder = mkdtempSync(join(tmpdir(), 'closed-'));
  rmdirSync(folder);
  const socketPath = join(folder, '1');
  router.say({
    kind: 'hello',
    router: 'closed',
    laterRequests: 'connection',
    slot: '0',
    socketPath,
  });
  router.say({ kind: 'hello', router: 'other', laterRequests: 'connection', slot: '0' });
  await until(() => router.heard.some(({ router: to }) => to === 'other'));
  const closed = handle.close({ graceMs: 60_000 });
  for (const name of ['router', 'other']) router.say({ kind: 'retired', router: name });
  // It does not wait for the closed one, which answers nothing.
  await closed;
  expect(router.heard).not.toContainEqual(
    expect.objectContaining({ router: 'closed', kind: 'ready' }),
  );
});

test('a worker is not ready for a router that has drained it, nor for one that greets it while closing', async () => {
  const { router, handle } = attach(createServer());
  await new Promise(setImmediate);
  router.say({ kind: 'drain', graceMs: 1000 });
  await until(() => router.kinds.includes('drained'));
  const hello = { kind: 'hello', laterRequests: 'connection', slot: '0' };
  router.say(hello);
  const closed = handle.close({ graceMs: 1000 });
  router.say({ ...hello, router: 'other' });
  await closed;
  await new Promise(setImmediate);
  expect(router.kinds.filter((kind) => kind === 'ready')).toHaveLength(1);
});

test('a worker reports its inspector to each router, before it is ready or when the inspector opens later', async () => {
  const router = new SimulatedRouter();
  let report = (_: string | undefined): void => {};
  const ended = vi.fn();
  const handle = new AttachedServer(createServer(), {
    route: undefined,
    orphanGraceMs: 0,
    exit: () => {},
    channel: router as unknown as RouterChannel,
    watchInspector: (changed) => {
      report = changed;
      return ended;
    },
  });
  const hello = { kind: 'hello', laterRequests: 'connection', slot: '0' };
  router.say(hello);
  await new Promise(setImmediate);
  report('ws://one');
  router.say({ ...hello, router: 'other' });
  await new Promise(setImmediate);
  report(undefined);
  const told = router.heard.map(({ kind, router: to, url }) => `${kind} ${to} ${url}`);
  expect(told).toEqual([
    'attached * undefined',
    'ready router undefined',
    'inspector router ws://one',
    'inspector other ws://one',
    'ready other undefined',
    'inspector router undefined',
    'inspector other undefined',
  ]);
  const closed = handle.close({ graceMs: 1000, lameDuckMs: 0 });
  for (const name of ['router', 'other']) router.say({ kind: 'retired', router: name });
  await closed;
  expect(ended).toHaveBeenCalledOnce();
});

test('SIGTERM is reported to each router that hands over connections; without any the signal ends the process', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const router = new SimulatedRouter();
  let terminate = (): void => {};
  const released = vi.fn();
  const handle = new AttachedServer(createServer(), {
    route: undefined,
    orphanGraceMs: 0,
    exit: () => {},
    channel: router as unknown as RouterChannel,
    keepSignals: (terminated = () => {}) => {
      terminate = terminated;
      return released;
    },
  });
  const terminatedTo = (): unknown[] =>
    router.heard.filter(({ kind }) => kind === 'terminated').map(({ router: to }) => to);
  const hello = { kind: 'hello', laterRequests: 'connection', slot: '0' };
  for (const name of ['one', 'other']) router.say({ ...hello, router: name });
  terminate();
  expect([terminatedTo(), kill.mock.calls]).toEqual([['one', 'other'], []]);
  router.say({ kind: 'drain', graceMs: 1000, router: 'one' });
  terminate();
  expect(terminatedTo()).toEqual(['one', 'other', 'other']);
  router.say({ kind: 'drain', graceMs: 1000, router: 'other' });
  await until(() => router.kinds.filter((kind) => kind === 'drained').length === 2);
  expect(kill).not.toHaveBeenCalled();
  terminate();
  expect([kill.mock.calls, released.mock.calls.length]).toEqual([[[process.pid, 'SIGTERM']], 1]);
  await handle.close({ graceMs: 0 });
  terminate();
  expect(kill).toHaveBeenCalledOnce();
});

test('a worker that closes while its unix socket opens leaves none', async () => {
  const { router, handle } = attach(createServer());
  const folder = mkdtempSync(join(tmpdir(), 'opening-'));
  onTestFinished(() => rmdirSync(folder));
  const socketPath = join(folder, '1');
  const hello = { kind: 'hello', laterRequests: 'connection', slot: '0', pid: process.ppid };
  router.say({ ...hello, router: 'other', socketPath });
  const closed = handle.close({ graceMs: 1000, lameDuckMs: 0 });
  for (const name of ['router', 'other']) router.say({ kind: 'retired', router: name });
  await closed;
  expect(readdirSync(folder)).toEqual([]);
});
