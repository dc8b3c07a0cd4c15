import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { isFullScale, scaled } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClusterOptions } from '../../src/index.ts';
import { addressOf, checkClustersAfterEach, start } from '../cluster-fixture.ts';

const ca: Buffer = readFileSync(
  new URL('../../../socket-router/test/workers/tls/cert.pem', import.meta.url),
);
const entry = new URL('../fixtures/http2-server.ts', import.meta.url);
/** Bytes of a GOAWAY frame up to the number of the last stream. */
const GOAWAY = Buffer.from('000008070000000000', 'hex');
/** Longer than the test: nothing ends by time. */
const patient = { lameDuckMs: 1_000_000, graceMs: 1_100_000 };

type Server = 'h2c' | 'h2' | 'streams';

async function serve(server: Server, shutdown: ClusterOptions['shutdown']) {
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

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

const reloaded = scaled<readonly Server[]>({ fast: ['h2c'], full: ['h2c', 'streams'] });

test.each(reloaded)(
  'reload() serves the HTTP/2 streams in flight, and refuses later ones, so that clients ask again (%s)',
  async (server) => {
    const { supervisor, port } = await serve(server, patient);
    const relay = await openRelay(port);
    const session = openSession(relay.port);
    const before = await ask(session);
    const inFlight = ask(session, '/draining');
    const noticed = relay.hold();
    const goaway = once(session, 'goaway');
    const reload = supervisor.reload();
    await noticed;
    // The client knows nothing of it yet.
    const late = ask(session).catch((error) => error);
    relay.release();
    expect(await inFlight).toBe(before);
    // By RFC 9113 the server has processed nothing of this stream.
    expect((await late).message).toContain('NGHTTP2_REFUSED_STREAM');
    expect((await goaway).slice(0, 2)).toEqual([0, 3]);
    await reload;
    // Its client has closed the session, so nothing keeps the old worker.
    await vi.waitFor(() => expect(supervisor.workers).toHaveLength(1), 60_000);
    expect(await ask(openSession(port))).toBe(supervisor.workers[0]?.pid);
  },
);

const closed = scaled<readonly Server[]>({ fast: ['h2'], full: ['h2', 'h2c'] });

test.each(closed)(
  'close() lets the HTTP/2 streams in flight end, and closes the session (%s)',
  async (server) => {
    const protocol = server === 'h2' ? 'https' : 'http';
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
  },
);

test.runIf(isFullScale())(
  'HTTP/1.1 beside HTTP/2 is counted, and its last answer says so',
  async () => {
    const { supervisor, port } = await serve('h2', patient);
    const agent = new https.Agent({ keepAlive: true, ca });
    onTestFinished(() => agent.destroy());
    const answer = async (path: string) => {
      const asked = https.get({
        host: '127.0.0.1',
        port,
        path,
        agent,
        servername: 'a.router.test',
      });
      const [response] = await once(asked, 'response');
      return { connection: response.headers.connection, pid: Number(await text(response)) };
    };
    const { pid } = await answer('/');
    await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ requests: 1 }), 60_000);
    const last = answer('/draining');
    await vi.waitFor(() => expect(supervisor.stats()).toMatchObject({ inFlight: 1 }), 60_000);
    await supervisor.close();
    expect(await last).toEqual({ connection: 'close', pid });
  },
);
