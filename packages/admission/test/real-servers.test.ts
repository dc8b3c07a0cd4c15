import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@ticketing/test-kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Admission, AdmissionOptions } from '../src/index.ts';
import { realServers, type Work } from './real-servers.ts';
import { admissionFor, untilStats } from './serve-held.ts';

/** Work that waits for the test, except `/throw`, and counts what it began. */
function heldWork() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const begun: string[] = [];
  const work: Work = {
    async answer(url, body) {
      begun.push(url);
      if (url === '/throw') throw new Error('thrown by the handler');
      await opened;
      return `${url} ${body}`;
    },
    async *pieces() {
      begun.push('/stream');
      yield 'first,';
      await opened;
      yield 'last';
    },
  };
  return { work, begun, open };
}

/** Serves held work, one request at a time, to clients that keep one connection for all their requests. */
async function serve(kind: string, options: Partial<AdmissionOptions> = {}) {
  const admission = admissionFor({ maxInFlight: 1, ...options });
  const held = heldWork();
  const server = await realServers[kind]?.(held.work, admission);
  if (server === undefined) throw new Error(`no server ${kind}`);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agents: Agent[] = [];
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  /** A client that has one connection. */
  function client() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    function send(path: string, body = '') {
      const headers = body === '' ? {} : { 'content-type': 'text/x-test' };
      const method = body === '' ? 'GET' : 'POST';
      const sent = request({ host: '127.0.0.1', port, path, method, headers, agent });
      const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
      responded.catch(() => {});
      sent.on('error', () => {});
      sent.end(body);
      return {
        responded,
        leave: () => sent.destroy(),
        async answer() {
          const [response] = await responded;
          return `${response.statusCode} ${await text(response)}`;
        },
      };
    }
    return { send };
  }
  return { ...held, admission, server, port, client };
}

const idle = (admission: Admission): Promise<void> =>
  untilStats(admission, { inFlight: 0, waiting: 0 });

describe.each(Object.keys(realServers))('%s', (kind) => {
  test('requests of kept connections, with their bodies, wait and are answered, in their order', async () => {
    const { admission, begun, open, client } = await serve(kind);
    const [one, two] = [client(), client()];
    const first = one.send('/1', 'body 1');
    await untilStats(admission, { inFlight: 1 });
    const second = two.send('/2', 'body 2');
    await untilStats(admission, { waiting: 1 });
    expect(begun).toEqual(['/1']);
    open();
    expect(await first.answer()).toBe('200 /1 body 1');
    expect(await second.answer()).toBe('200 /2 body 2');
    expect(await one.send('/3').answer()).toBe('200 /3 ');
    expect(await two.send('/4').answer()).toBe('200 /4 ');
    expect(begun).toEqual(['/1', '/2', '/3', '/4']);
    await idle(admission);
    expect(admission.stats()).toMatchObject({ admitted: 4, left: 0 });
  });

  test('clients that leave, while they wait and while they are answered, free their places', async () => {
    const { admission, begun, open, client } = await serve(kind);
    const first = client().send('/1');
    await untilStats(admission, { inFlight: 1 });
    const second = client().send('/2');
    await untilStats(admission, { waiting: 1 });
    const third = client().send('/stream');
    await untilStats(admission, { waiting: 2 });
    second.leave();
    await untilStats(admission, { waiting: 1, left: 1 });
    first.leave();
    await until(() => begun.includes('/stream'));
    await third.responded;
    third.leave();
    await idle(admission);
    open();
    expect(await client().send('/4').answer()).toBe('200 /4 ');
    expect(begun).toEqual(['/1', '/stream', '/4']);
    await idle(admission);
  });

  test('a handler that throws frees its place', async () => {
    const { admission, open, client } = await serve(kind);
    open();
    const sent = Array.from({ length: 4 }, (_, index) =>
      client().send(index % 2 === 0 ? '/throw' : `/${index}`),
    );
    const answers = await Promise.all(sent.map(({ answer }) => answer()));
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['500', '200', '500', '200']);
    await idle(admission);
    expect(admission.stats()).toMatchObject({ admitted: 4 });
  });

  test('a streamed answer keeps its place until its last piece', async () => {
    const { admission, open, client } = await serve(kind);
    const stream = client().send('/stream');
    const [response] = await stream.responded;
    const body = text(response);
    expect(admission.stats()).toMatchObject({ inFlight: 1 });
    const next = client().send('/next');
    await untilStats(admission, { waiting: 1 });
    open();
    expect(await body).toBe('first,last');
    expect(await next.answer()).toBe('200 /next ');
    await idle(admission);
  });

  test('close() of the admission lets waiting requests begin', async () => {
    const { admission, begun, open, client } = await serve(kind);
    const first = client().send('/1');
    await untilStats(admission, { inFlight: 1 });
    const second = client().send('/2');
    await untilStats(admission, { waiting: 1 });
    admission.close();
    open();
    expect(await first.answer()).toBe('200 /1 ');
    expect(await second.answer()).toBe('200 /2 ');
    expect(begun).toEqual(['/1', '/2']);
    await idle(admission);
  });

  test('close() of the server while requests wait answers them first', async () => {
    const { admission, open, client, server } = await serve(kind);
    const sent = [client().send('/1'), client().send('/2')];
    await untilStats(admission, { inFlight: 1, waiting: 1 });
    const closed = once(server, 'close');
    server.close();
    open();
    const answers = await Promise.all(sent.map(({ answer }) => answer()));
    expect(answers).toEqual(['200 /1 ', '200 /2 ']);
    await idle(admission);
    server.closeIdleConnections();
    await closed;
  });

  test('requests that one connection sends ahead are answered in turn, and all leave with it', async () => {
    const { admission, begun, open, port } = await serve(kind, { maxInFlight: 2 });
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /1 HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(5));
    await untilStats(admission, { inFlight: 2, waiting: 3 });
    socket.destroy();
    await idle(admission);
    open();
    expect(begun.length).toBe(2);
  });

  test('a WebSocket is opened while all places are taken, and takes none', async () => {
    const { admission, open, port, client, server } = await serve(kind);
    const sockets = new WebSocketServer({ server });
    onTestFinished(() => sockets.close());
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`${data}!`)));
    const first = client().send('/1');
    await untilStats(admission, { inFlight: 1 });
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    socket.send('hello');
    const [data] = await once(socket, 'message');
    expect(String(data)).toBe('hello!');
    expect(admission.stats()).toMatchObject({ inFlight: 1, waiting: 0 });
    open();
    await first.answer();
    socket.close();
    await once(socket, 'close');
    await idle(admission);
  });
});
