// An answer reaches only clients for whom the handler would have made the same: what tells them apart is part of the key.
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { coalesceRoutes } from '../src/fastify/index.ts';
import { asked, createApp, Gate, listen, overHttp2, wire } from './fastify-client.ts';

const coalesce = { config: { coalesce: true } };

describe.each(['HTTP/1.1', 'h2c'] as const)('%s', (protocol) => {
  beforeEach(() => {
    wire.protocol = protocol;
  });

  /** Sends all requests before the handler answers any; resolves with the bodies and the number of runs. */
  async function ask(
    app: FastifyInstance,
    gate: Gate,
    requests: readonly Record<string, string>[],
  ): Promise<{ readonly bodies: readonly string[]; readonly runs: number }> {
    const send = await listen(app);
    const calls = requests.map((headers) => send('/', { headers }));
    await asked(app, requests.length);
    gate.open();
    const answers = await Promise.all(calls.map(({ answer }) => answer));
    return { bodies: answers.map(({ body }) => body), runs: gate.runs };
  }

  const seenBy = {
    host: { 'x-forwarded-host': ['a.test', 'b.test'] },
    hostname: { 'x-forwarded-host': ['a.test:1', 'b.test:1'] },
    port: { 'x-forwarded-host': ['a.test:1', 'a.test:2'] },
    protocol: { 'x-forwarded-proto': ['http', 'https'] },
  } as const;

  test.each(Object.entries(seenBy))(
    'with `trustProxy`, handlers that read `request.%s` answer each tenant [own-answer]',
    async (property, sent) => {
      const app = await createApp({}, { trustProxy: true });
      const gate = new Gate();
      app.get('/', coalesce, async (request) => {
        const value = String(request[property as keyof typeof seenBy]);
        await gate.pass();
        return value;
      });
      const [[name, [one, other]]] = Object.entries(sent) as [[string, readonly [string, string]]];
      const values = [one, other, one, other];
      const { bodies, runs } = await ask(
        app,
        gate,
        values.map((value) => ({ host: 'proxy.test', [name]: value })),
      );
      expect(new Set(bodies.slice(0, 2)).size).toBe(2);
      expect(bodies.slice(2)).toEqual(bodies.slice(0, 2));
      expect(runs).toBe(2);
    },
  );

  test('a trusted host does not hide the one that was sent, which a handler may read [own-answer]', async () => {
    const app = await createApp({}, { trustProxy: true });
    const gate = new Gate();
    app.get('/', coalesce, async ({ headers }) => {
      await gate.pass();
      return headers.host ?? headers[':authority'];
    });
    const hosts = ['a.test', 'b.test'].map((host) => ({ host, 'x-forwarded-host': 'same.test' }));
    const { bodies } = await ask(app, gate, hosts);
    expect(bodies).toEqual(['a.test', 'b.test']);
  });

  test.each<[string, FastifyServerOptions]>([
    ['no `trustProxy`', {}],
    ['a `trustProxy` that does not trust the client', { trustProxy: '10.0.0.1' }],
  ])('with %s forwarded fields do not split runs', async (_label, options) => {
    const app = await createApp({}, options);
    const gate = new Gate();
    app.get('/', coalesce, async ({ host, protocol }) => {
      await gate.pass();
      return `${protocol}://${host}`;
    });
    const { bodies, runs } = await ask(app, gate, [
      { host: 'a.test', 'x-forwarded-host': 'b.test', 'x-forwarded-proto': 'https' },
      { host: 'a.test' },
    ]);
    expect(bodies).toEqual(['http://a.test', 'http://a.test']);
    expect(runs).toBe(1);
  });

  test.each(['client-cert', 'x-forwarded-client-cert'])(
    'a certificate in the header %s of a proxy is a credential [own-answer]',
    async (name) => {
      const app = await createApp();
      const gate = new Gate();
      app.get('/', coalesce, async ({ headers }) => {
        await gate.pass();
        return headers[name];
      });
      const { bodies, runs } = await ask(app, gate, [
        { [name]: ':YWxpY2U=:' },
        { [name]: ':Ym9i:' },
        { [name]: ':YWxpY2U=:' },
      ]);
      expect(bodies).toEqual([':YWxpY2U=:', ':Ym9i:', ':YWxpY2U=:']);
      expect(runs).toBe(2);
    },
  );
});

const pem = (name: string): Buffer => readFileSync(new URL(`tls/${name}.pem`, import.meta.url));
const server = pem('server');

/** Sends a request over a connection with the client's own certificate. */
type SendAs = (name: 'alice' | 'bob') => Promise<string>;

const sendAs: Record<'HTTP/1.1' | 'h2', (port: number) => SendAs> = {
  'HTTP/1.1': (port) => async (name) => {
    const cert = pem(name);
    const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
      const call = httpsRequest(
        { port, host: '127.0.0.1', servername: 'server.test', ca: server, cert, key: cert },
        resolve,
      );
      call.on('error', reject);
      call.end();
    });
    return text(response);
  },
  h2: (port) => async (name) => {
    const cert = pem(name);
    const session = connect(`https://127.0.0.1:${port}`, {
      servername: 'server.test',
      ca: server,
      cert,
      key: cert,
    });
    onTestFinished(() => session.destroy());
    return (await overHttp2(session)('/').answer).body;
  },
};

describe.each(['HTTP/1.1', 'h2'] as const)('mutual TLS over %s', (protocol) => {
  async function ask(config: object): Promise<{ bodies: readonly string[]; runs: number }> {
    const https = {
      cert: server,
      key: server,
      ca: [pem('alice'), pem('bob')],
      requestCert: true,
    };
    const app = fastify({
      forceCloseConnections: true,
      https,
      http2: protocol === 'h2',
    } as object) as unknown as FastifyInstance;
    onTestFinished(() => app.close());
    await app.register(coalesceRoutes);
    const gate = new Gate();
    app.get('/', { config: { coalesce: config } }, async ({ raw }) => {
      const { subject } = (
        raw.socket as unknown as {
          getPeerCertificate(): { readonly subject: { readonly CN: string } };
        }
      ).getPeerCertificate();
      await gate.pass();
      return subject.CN;
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const send = sendAs[protocol]((app.server.address() as AddressInfo).port);
    const names = ['alice', 'bob', 'alice', 'bob'] as const;
    const answers = names.map(send);
    await asked(app, names.length);
    gate.open();
    return { bodies: await Promise.all(answers), runs: gate.runs };
  }

  test('clients with different certificates do not share an answer, those with the same do [own-answer]', async () => {
    expect(await ask({})).toEqual({ bodies: ['alice', 'bob', 'alice', 'bob'], runs: 2 });
  });

  test('clients with different certificates do not share an answer with a `key` of the route either [own-answer]', async () => {
    expect(await ask({ key: () => 'all' })).toEqual({
      bodies: ['alice', 'bob', 'alice', 'bob'],
      runs: 2,
    });
  });

  test('with `shareCredentials` the certificate does not count', async () => {
    const { bodies, runs } = await ask({ shareCredentials: true });
    expect({ different: new Set(bodies).size, runs }).toEqual({ different: 1, runs: 1 });
  });
});
