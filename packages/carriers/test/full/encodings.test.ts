import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import type { CarrierError, CarrierHttp, CarrierHttpRequest, Journey } from '@ticketing/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAnswerBody, PIECE_BYTES, readCodings } from '../../src/http/answer-body.ts';
import { type CarrierHttpOptions, createCarrierHttp } from '../../src/index.ts';
import {
  ask,
  carrierIds,
  createCarriers,
  failureOf,
  queryFor,
  startUpstream,
} from '../upstream.ts';

const MIB = 1024 * 1024;

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(options: CarrierHttpOptions = {}) {
  const http = createCarrierHttp({ retries: 0, ...options });
  onTestFinished(() => http.close());
  const send = (url: string, more: Partial<CarrierHttpRequest> = {}) =>
    http.clientOf('carrier').send({
      ...{ method: 'GET', url, signal: new AbortController().signal },
      deadline: Date.now() + 60_000,
      ...more,
    });
  return { http, send };
}

/** A server that answers these bytes under these codings, and a client that asks it. */
async function answering(body: Uint8Array, coding: string | string[], status = 200) {
  const url = await serve((_request, response) => {
    response.setHeader('content-encoding', coding);
    response.writeHead(status).end(body);
  });
  return (more: Partial<CarrierHttpRequest> = {}, options: CarrierHttpOptions = {}) =>
    client(options).send(url, more);
}

const text = 'what was sent, '.repeat(10_000);
const encoders: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  identity: (bytes) => Buffer.from(bytes),
};
const encoded = (codings: readonly string[], plain = text): Buffer =>
  codings.reduce<Buffer>((bytes, coding) => encoders[coding]?.(bytes) ?? bytes, Buffer.from(plain));

test('send() asks for gzip and br, unless the request has an accept-encoding', async () => {
  const asked: unknown[] = [];
  const url = await serve(({ headers }, response) => {
    asked.push(headers['accept-encoding']);
    response.end();
  });
  const { send } = client();
  await send(url);
  await send(url, { headers: { 'Accept-Encoding': 'identity' } });
  expect(asked).toEqual(['gzip, br', 'identity']);
});

test.each([
  ['gzip'],
  ['GZip'],
  ['x-gzip'],
  ['br'],
  ['deflate'],
  ['identity'],
  ['gzip, br'],
  ['br,, identity ,gzip'],
  ['deflate, gzip, br, gzip'],
])('send() decodes an answer with content-encoding %s', async (header) => {
  const codings = header.split(',').map((name) => name.trim().toLowerCase());
  const send = await answering(encoded(codings), header);
  const { body } = await send();
  expect(new TextDecoder().decode(body) === text).toBe(true);
  expect(body.buffer.byteLength).toBe(text.length);
});

test('send() takes codings that are sent in headers of their own', async () => {
  const send = await answering(encoded(['gzip', 'br']), ['gzip', 'br']);
  expect((await send()).body.byteLength).toBe(text.length);
});

test('send() accepts an empty body under any coding', async () => {
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, br']) {
    const send = await answering(new Uint8Array(), coding);
    expect((await send()).body).toEqual(new Uint8Array());
  }
});

test('send() decodes the body of an error that the request wants to read', async () => {
  const send = await answering(encoded(['gzip'], 'why not'), 'gzip', 422);
  const { status, body } = await send({ alsoResolve: [422] });
  expect([status, new TextDecoder().decode(body)]).toEqual([422, 'why not']);
  expect(await failureOf(send)).toMatchObject({ code: 'BAD_REQUEST', httpStatus: 422 });
  const long = await answering(gzipSync(Buffer.alloc(65 * 1024)), 'gzip', 422);
  expect(await failureOf(() => long({ alsoResolve: [422] }))).toMatchObject({
    code: 'PROTOCOL',
    message: 'Cannot read answer of `carrier`: it exceeds `maxBodyBytes` (65536)',
  });
});

test.each([
  ['that is not known', 'zstd', 'its content coding `zstd` is unknown'],
  ['of which one is not known', 'gzip, compress', 'its content coding `compress` is unknown'],
  [
    'with a long name',
    `x${'y'.repeat(500)}`,
    `its content coding \`x${'y'.repeat(39)}\` is unknown`,
  ],
  ['that is a list of five', 'gzip, '.repeat(5), 'it has more than 4 content codings'],
])('send() refuses a content-encoding %s as PROTOCOL', async (_what, coding, why) => {
  const send = await answering(encoded(['gzip']), coding);
  expect(await failureOf(send)).toMatchObject({
    code: 'PROTOCOL',
    message: `Cannot read answer of \`carrier\`: ${why}`,
  });
});

test.each([
  ['gzip that is cut off', 'gzip', encoded(['gzip']).subarray(0, -9)],
  [
    'gzip with a wrong sum',
    'gzip',
    Buffer.concat([encoded(['gzip']).subarray(0, -8), Buffer.alloc(8)]),
  ],
  ['gzip that is text', 'gzip', Buffer.from(text)],
  ['br that is cut off', 'br', encoded(['br']).subarray(0, -2)],
  ['br that is text', 'br', Buffer.from(text)],
  ['deflate that is cut off', 'deflate', encoded(['deflate']).subarray(0, -5)],
  ['deflate without the frame that HTTP wants', 'deflate', deflateRawSync(text)],
  ['br in gzip that is cut off', 'br, gzip', gzipSync(encoded(['br']).subarray(0, -2))],
])('send() makes %s PROTOCOL', async (_what, coding, body) => {
  const send = await answering(body, coding);
  const error = await failureOf(send);
  expect(error.code).toBe('PROTOCOL');
  expect(error.message).toMatch(
    /^Cannot read answer of `carrier`: it is not whole (gzip|br|deflate) \([\w-]+\)$/,
  );
});

test('send() makes a compressed answer that breaks off NETWORK, however much of it was decoded', async () => {
  const body = encoded(['gzip']);
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length });
    response.write(body.subarray(0, -20), () => request.socket.resetAndDestroy());
  });
  expect(await failureOf(() => client().send(url))).toMatchObject({ code: 'NETWORK' });
});

test('send() leaves what follows the end of a gzip stream, and counts it', async () => {
  const trailing = (length: number) => Buffer.concat([encoded(['gzip']), Buffer.alloc(length)]);
  const short = await answering(trailing(300_000), 'gzip');
  expect((await short()).body.byteLength).toBe(text.length);
  const long = await answering(trailing(400_000), 'gzip');
  expect(await failureOf(() => long({}, { maxBodyBytes: 350_000 }))).toMatchObject({
    message: 'Cannot read answer of `carrier`: it exceeds `maxBodyBytes` (350000)',
  });
});

test.each(['gzip', 'br'])(
  'send() keeps 2 MiB that were sent in %s, and refuses one byte more',
  async (coding) => {
    const encode = encoders[coding] as (bytes: Uint8Array) => Buffer;
    const whole = await answering(encode(Buffer.alloc(2 * MIB)), coding);
    expect((await whole()).body.byteLength).toBe(2 * MIB);
    const more = await answering(encode(Buffer.alloc(2 * MIB + 1)), coding);
    expect(await failureOf(more)).toMatchObject({
      code: 'PROTOCOL',
      message: 'Cannot read answer of `carrier`: it exceeds `maxBodyBytes` (2097152)',
    });
  },
);

test('send() counts the bytes that are sent too: gzip may be longer than its content', async () => {
  const send = await answering(gzipSync(Buffer.alloc(1000), { level: 0 }), 'gzip');
  expect(await failureOf(() => send({}, { maxBodyBytes: 1010 }))).toMatchObject({
    message: 'Cannot read answer of `carrier`: it exceeds `maxBodyBytes` (1010)',
  });
  expect((await send({}, { maxBodyBytes: 1100 })).body.byteLength).toBe(1000);
});

/** 1 GiB of zeros in 1 MB: each part is whole by itself, so that one is made once. */
function gzipBomb(): Buffer {
  const part = deflateRawSync(Buffer.alloc(MIB), { finishFlush: constants.Z_FULL_FLUSH });
  const head = gzipSync('').subarray(0, 10);
  return Buffer.concat([head, ...Array.from({ length: 1024 }, () => part)]);
}

/** 64 MiB of zeros in less than 1 kB. */
function brotliBomb(): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  return brotliCompressSync(Buffer.alloc(64 * MIB), { params });
}

/** The error that a body ends with, and what came out of its decoders before. */
async function refused(body: Uint8Array, codings: readonly string[], maxBytes = 2 * MIB) {
  const decodedBytes: number[] = [];
  const error = await new Promise<CarrierError>((resolve, reject) => {
    const answer = createAnswerBody({
      ...{ carrier: 'carrier', codings, maxBytes },
      done: () => reject(new Error('it was not refused')),
      fail(failure) {
        decodedBytes.push(answer.decodedBytes());
        setImmediate(() =>
          setImmediate(() => {
            decodedBytes.push(answer.decodedBytes());
            resolve(failure);
          }),
        );
      },
    });
    answer.take(body);
    answer.end();
  });
  return { error, decodedBytes };
}

test.each([
  ['1 GiB in gzip', ['gzip'], gzipBomb],
  ['64 MiB in br', ['br'], brotliBomb],
  ['64 MiB in br in gzip', ['br', 'gzip'], () => gzipSync(brotliBomb())],
])(
  'a body of %s is inflated to its bound and one piece, and no further',
  async (_what, codings, bomb) => {
    const body = bomb();
    expect(body.byteLength).toBeLessThan(1.2 * MIB);
    const { error, decodedBytes } = await refused(body, codings);
    expect(error).toMatchObject({ code: 'PROTOCOL' });
    const [atError = 0, later] = decodedBytes;
    expect(atError).toBeGreaterThan(2 * MIB);
    expect(atError).toBeLessThanOrEqual(2 * MIB + codings.length * PIECE_BYTES);
    expect(later).toBe(atError);
  },
);

test('a body whose inner coding is too long is refused before it is decoded', async () => {
  const { error, decodedBytes } = await refused(gzipSync(gzipBomb()), ['gzip', 'gzip'], 4096);
  expect(error.code).toBe('PROTOCOL');
  expect(decodedBytes[0]).toBeLessThanOrEqual(2 * (4096 + PIECE_BYTES));
});

test('send() refuses a bomb, and closes the connection', async () => {
  const bomb = gzipBomb();
  let onClose = (): void => {};
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const url = await serve((request, response) => {
    request.socket.once('close', onClose);
    response.writeHead(200, { 'content-encoding': 'gzip' });
    // It never ends by itself.
    response.write(bomb);
  });
  const { http, send } = client();
  expect(await failureOf(() => send(url))).toMatchObject({ code: 'PROTOCOL' });
  await closed;
  expect(http.stats()).toMatchObject({ carrier: { inFlight: 0 } });
});

test.each(['abort', 'deadline'] as const)(
  'send() ends the decoding of an answer that drips at its %s',
  async (end) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      const drip = (): void => {
        gzip.write('x'.repeat(100));
        gzip.flush(() => response.writable && setImmediate(drip));
      };
      drip();
      response.once('close', () => gzip.destroy());
    });
    const { http, send } = client({ maxBodyBytes: 1024 ** 3 });
    const controller = new AbortController();
    const { signal } = controller;
    const deadline = Date.now() + (end === 'deadline' ? 200 : 600_000);
    const asked = failureOf(() => send(url, { signal, deadline }));
    await vi.waitFor(() => expect(http.stats()).toMatchObject({ carrier: { inFlight: 1 } }));
    if (end === 'abort') controller.abort();
    expect((await asked).code).toBe(end === 'abort' ? 'ABORTED' : 'TIMEOUT');
    expect(http.stats()).toMatchObject({ carrier: { inFlight: 0 } });
  },
);

test('close() of a body leaves no decoder open, and no call follows', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Zlib').length;
  const body = createAnswerBody({
    ...{ carrier: 'carrier', codings: ['br', 'gzip'], maxBytes: MIB },
    done: () => expect.unreachable(),
    fail: () => expect.unreachable(),
  });
  body.take(encoded(['br', 'gzip']));
  body.close();
  body.close();
  body.take(encoded(['br', 'gzip']));
  body.end();
  await vi.waitFor(() =>
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Zlib').length).toBe(before),
  );
});

test('readCodings() leaves identity, and knows names in any case', () => {
  expect(readCodings('carrier', {})).toEqual([]);
  expect(readCodings('carrier', { 'content-encoding': ' Identity , BR,, GZIP' })).toEqual([
    'br',
    'gzip',
  ]);
});

/** Journeys without the times at which their offers came. */
function undated(journeys: readonly Journey[]): unknown {
  return journeys.map(({ offers, ...journey }) => ({
    ...journey,
    offers: offers.map((offer) => ({ ...offer, fetchedAt: 0 })),
  }));
}

/** A server before another that answers what that one does, in these codings. */
async function compressing(upstream: string, codings: readonly string[]): Promise<string> {
  return serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', headers: asked } = request;
    const sent = new Headers({ 'accept-encoding': 'identity' });
    for (const name of ['content-type', 'authorization', 'cookie', 'accept']) {
      const value = asked[name];
      if (value !== undefined) sent.set(name, String(value));
    }
    const body = Buffer.concat(chunks);
    const answer = await fetch(`${upstream}${request.url}`, {
      ...{ method, headers: sent, redirect: 'manual' },
      ...(method === 'GET' ? {} : { body }),
    });
    const cookies = answer.headers.getSetCookie();
    const bytes = encoded(codings, await answer.text());
    response.writeHead(answer.status, {
      'content-type': String(answer.headers.get('content-type')),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
      'content-encoding': codings.join(', '),
    });
    response.end(bytes);
  });
}

test.each(
  carrierIds.flatMap((id) =>
    [['gzip'], ['br'], ['deflate'], ['gzip', 'br']].map((codings) => ({ id, codings })),
  ),
)('$id: an answer in $codings is read as one that is not compressed', async ({ id, codings }) => {
  const upstream = await startUpstream();
  const plain = await ask(upstream, upstream.carriers[id], queryFor(id));
  expect(plain.journeys.length).toBeGreaterThan(0);
  const carriers = createCarriers(await compressing(upstream.sim.url, codings));
  const { journeys } = await ask(upstream, carriers[id], queryFor(id));
  expect(undated(journeys)).toEqual(undated(plain.journeys));
});

test.each(carrierIds)('%s: a simulator that compresses unasked is read', async (id) => {
  const upstream = await startUpstream();
  const plain = await ask(upstream, upstream.carriers[id], queryFor(id));
  upstream.sim.setPlan(id, { fault: { kind: 'unasked-encoding' } });
  const { journeys } = await ask(upstream, upstream.carriers[id], queryFor(id));
  expect(undated(journeys)).toEqual(undated(plain.journeys));
});

test.each(carrierIds)(
  '%s: an answer that is cut off in gzip, or no gzip at all, is PROTOCOL',
  async (id) => {
    const upstream = await startUpstream();
    for (const body of [encoded(['gzip']).subarray(0, -9), Buffer.from('<html>')]) {
      const url = await serve((_request, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/html' })
          .end(body),
      );
      const error = await failureOf(() => ask(upstream, createCarriers(url)[id], queryFor(id)));
      expect(error.code).toBe('PROTOCOL');
      expect(error.message).toContain('not whole gzip');
    }
  },
);

test.each(carrierIds)('%s: an answer that begins with a byte order mark is read', async (id) => {
  const upstream = await startUpstream();
  const query = queryFor(id);
  const plain = await ask(upstream, upstream.carriers[id], query);
  const marked: CarrierHttp = {
    async send(request) {
      const answer = await upstream.http.clientOf(id).send(request);
      const body = new Uint8Array([0xef, 0xbb, 0xbf, ...answer.body]);
      return { ...answer, body };
    },
  };
  const { journeys } = await ask(upstream, upstream.carriers[id], query, { http: marked });
  expect(undated(journeys)).toEqual(undated(plain.journeys));
});
