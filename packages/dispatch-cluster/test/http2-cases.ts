import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClusterOptions } from '../src/index.ts';
import { addressOf, start } from './cluster-fixture.ts';

export const ca: Buffer = readFileSync(
  new URL('../../socket-router/test/workers/tls/cert.pem', import.meta.url),
);
const entry = new URL('fixtures/http2-server.ts', import.meta.url);
/** Bytes of a GOAWAY frame up to the number of the last stream. */
const GOAWAY = Buffer.from('000008070000000000', 'hex');
/** Longer than the test: nothing ends by time. */
export const patient = { lameDuckMs: 1_000_000, graceMs: 1_100_000 };

export async function serve(
  server: 'h2c' | 'h2' | 'streams',
  shutdown: ClusterOptions['shutdown'],
) {
  const supervisor = start({ entry, shutdown, env: { ...process.env, SERVER: server } });
  await supervisor.ready();
  const port = Number(new URL(await addressOf(supervisor)).port);
  return { supervisor, port };
}

function openSession(port: number, protocol = 'http'): ClientHttp2Session {
  const session = connect(`${protocol}://127.0.0.1:${port}`, { ca, servername: 'a.router.test' });
  onTestFinished(() => session.destroy());
  return session;
}

/** Asks once, and returns the pid of the process that answered. */
async function ask(session: ClientHttp2Session, path = '/'): Promise<number> {
  const stream = session.request({ ':path': path });
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(200);
  return Number(await text(stream));
}

/** A relay whose bytes to the client can be held back. */
async function openRelay(port: number) {
  const held: Buffer[] = [];
  let isHolding = false;
  let noticed = (): void => {};
  const relay = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    client.on('error', () => {}).on('data', (chunk) => upstream.write(chunk));
    upstream
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        if (!isHolding) {
          client.write(chunk);
          return;
        }
        held.push(chunk);
        if (Buffer.concat(held).includes(GOAWAY)) noticed();
      });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      if (!isHolding) client.destroy();
    });
    release = () => {
      isHolding = false;
      client.write(Buffer.concat(held.splice(0)));
    };
  });
  let release = (): void => {};
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  onTestFinished(() => void relay.close());
  return {
    port: (relay.address() as net.AddressInfo).port,
    /** Holds back the bytes of the server. Resolves when it has sent GOAWAY. */
    hold: () =>
      new Promise<void>((resolve) => {
        isHolding = true;
        noticed = resolve;
      }),
    release: () => release(),
  };
}

export function testReloadWithStreams(server: 'h2c' | 'streams'): void {
  test(`reload() serves the HTTP/2 streams in flight, and refuses later ones, so that clients ask again (${server})`, async () => {
    const { supervisor, port } = await serve(server, patient);
    const relay = await openRelay(port);
    const session = openSession(relay.port);
    const before = await ask(session);
    const inFlight = ask(session, '/draining');
    const noticed = relay.hold();
    const goaway = once(session, 'goaway');
    const reloaded = supervisor.reload();
    await noticed;
    // The client knows nothing of it yet.
    const late = ask(session).catch((error) => error);
    relay.release();
    expect(await inFlight).toBe(before);
    // By RFC 9113 the server has processed nothing of this stream.
    expect((await late).message).toContain('NGHTTP2_REFUSED_STREAM');
    expect((await goaway).slice(0, 2)).toEqual([0, 3]);
    await reloaded;
    // Its client has closed the session, so nothing keeps the old worker.
    await vi.waitFor(() => expect(supervisor.workers).toHaveLength(1), 60_000);
    expect(await ask(openSession(port))).toBe(supervisor.workers[0]?.pid);
  });
}

export function testCloseWithStreams(server: 'h2c' | 'h2'): void {
  const protocol = server === 'h2' ? 'https' : 'http';
  test(`close() lets the HTTP/2 streams in flight end, and closes the session (${server})`, async () => {
    // Without a lame duck the session ends at once, by a GOAWAY with the last stream.
    const { supervisor, port } = await serve(server, { lameDuckMs: 0, graceMs: 1_000_000 });
    const session = openSession(port, protocol);
    const pid = await ask(session);
    const idle = openSession(port, protocol);
    await once(idle, 'remoteSettings');
    const inFlight = [1, 2, 3].map(() => ask(session, '/draining'));
    await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ inFlight: 3 }), 60_000);
    expect(supervisor.stats()).toMatchObject({ connections: 2, requests: 4 });
    const ends = [session, idle].map((each) => once(each, 'close'));
    await supervisor.close();
    expect(await Promise.all(inFlight)).toEqual([pid, pid, pid]);
    await Promise.all(ends);
  });
}
