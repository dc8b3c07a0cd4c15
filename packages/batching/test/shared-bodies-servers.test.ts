import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createSharedBodies } from '../src/http/index.ts';
import { servers } from './serve-bodies.ts';

const document = Buffer.from(
  JSON.stringify({
    trains: Array.from({ length: 200 }, (_, index) => ({ id: index, name: `AVE ${index}` })),
  }),
);
const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  ...('zstdDecompressSync' in zlib && { zstd: zlib.zstdDecompressSync }),
  identity: (bytes) => bytes,
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Asks with exactly these headers, and leaves the bytes as they come. */
function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answered = async (response: IncomingMessage): Promise<void> => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, headers: response.headers, bytes });
    };
    request(url, { headers, method, agent: false }, answered).once('error', reject).end();
  });
}

for (const [name, serve] of Object.entries(servers)) {
  test(`${name}: each client gets the coding that it accepts, of one encoding each`, async () => {
    const bodies = createSharedBodies();
    const url = await serve(bodies, () => document);
    const codings = Object.keys(decoders);
    const answers = await Promise.all(
      [...codings, ...codings, ...codings].map((coding) =>
        ask(`${url}/a`, { 'accept-encoding': coding }),
      ),
    );
    for (const [index, { status, headers, bytes }] of answers.entries()) {
      const coding = codings[index % codings.length] ?? '';
      expect([status, headers['content-encoding'] ?? 'identity']).toEqual([200, coding]);
      expect(headers).toMatchObject({
        'content-length': String(bytes.length),
        'content-type': 'application/json; charset=utf-8',
        vary: 'accept-encoding',
        etag: answers[0]?.headers.etag,
      });
      expect(document.equals(decoders[coding]?.(bytes) ?? bytes)).toBe(true);
    }
    expect(bodies.stats()).toMatchObject({
      compressed: codings.length - 1,
      kept: codings.length - 1,
    });
  });

  test(`${name}: fetch decodes a shared body, revalidates it by its tag, and asks for its head`, async () => {
    const url = await serve(createSharedBodies(), () => document);
    const first = await fetch(`${url}/a`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(first.headers.get('content-encoding')).toBe('br');
    expect(Buffer.from(await first.arrayBuffer()).equals(document)).toBe(true);
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(`${url}/a`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(etag);
    const { status, headers, bytes } = await ask(`${url}/a`, { 'accept-encoding': 'gzip' }, 'HEAD');
    const whole = await ask(`${url}/a`, { 'accept-encoding': 'gzip' });
    expect([status, bytes.length]).toEqual([200, 0]);
    for (const each of ['content-length', 'content-encoding', 'etag', 'vary', 'content-type']) {
      expect(headers[each], each).toBe(whole.headers[each]);
    }
  });

  test(`${name}: a connection answers on after 304 and HEAD`, async () => {
    const url = await serve(createSharedBodies(), () => document);
    const { headers } = await ask(`${url}/a`);
    const { etag = '' } = headers;
    const lines = [
      '-s',
      '--compressed',
      '-w',
      '%{http_code} %{num_connects} %{size_download}\\n',
      '-o',
      '/dev/null',
    ];
    const target = `${url}/a`;
    const conditional = ['-H', `If-None-Match: ${etag}`, target];
    const next = ['--next', ...lines];
    const all = [...lines, target, ...next, ...conditional, ...next, '-I', target, ...next, target];
    const { stdout } = await promisify(execFile)('curl', all);
    const [first, unchanged, head, last] = stdout.trim().split('\n');
    expect(first).toMatch(/^200 1 \d+$/);
    expect([unchanged, head]).toEqual(['304 0 0', '200 0 0']);
    expect(last).toBe(first?.replace(' 1 ', ' 0 '));
  });
}

test('curl decodes what it accepts', async () => {
  const url = await servers['node:http']?.(createSharedBodies(), () => document);
  const { stdout } = await promisify(execFile)('curl', ['-s', '--compressed', `${url}/a`]);
  expect(stdout).toBe(document.toString());
});

test('send() waits for an encoding no longer than its client does', async () => {
  const begun: string[] = [];
  const bodies = createSharedBodies({
    concurrency: 1,
    encode: (encoding) => {
      begun.push(encoding);
      return new Promise(() => {});
    },
  });
  const url = await servers['node:http']?.(bodies, (path) => Buffer.from(path.repeat(1000)));
  const leaving = ['/one', '/two'].map((path) => {
    const asked = get(`${url}${path}`, { agent: false, headers: { 'accept-encoding': 'br' } });
    asked.on('error', () => {});
    return asked;
  });
  while (bodies.stats().inFlight + bodies.stats().queued < 2) await turn();
  for (const asked of leaving) asked.destroy();
  while (bodies.stats().left < 2) await turn();
  expect(begun).toEqual(['br']);
  expect(bodies.stats()).toMatchObject({ inFlight: 1, queued: 0, left: 2 });
});

test('send() serves HTTP/2, also to a stream that is reset', async () => {
  let end: (() => void) | undefined;
  const bodies = createSharedBodies({
    encode: async (_, body) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return zlib.brotliCompressSync(body);
    },
  });
  const sent: Promise<void>[] = [];
  const server = createHttp2Server((request, response) => {
    const send = () => bodies.send({ request, response }, document);
    sent.push(request.url === '/late' ? once(response, 'close').then(send) : send());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  const ask = (path: string) => session.request({ ':path': path, 'accept-encoding': 'br' });
  const leaving = [ask('/'), ask('/late')].map((each) => each.on('error', () => {}));
  const stream = ask('/');
  const answered = once(stream, 'response');
  while (sent.length < 3) await turn();
  for (const each of leaving) each.close();
  await sent[0];
  expect(bodies.stats().left).toBe(1);
  end?.();
  const [answer] = await answered;
  const bytes = Buffer.concat(await stream.toArray());
  expect(answer).toMatchObject({ ':status': 200, 'content-encoding': 'br' });
  expect(document.equals(zlib.brotliDecompressSync(bytes))).toBe(true);
  await Promise.all(sent);
});

test('the encoded bytes of a body go with it', async () => {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  const bodies = createSharedBodies();
  const send = (body: Buffer) =>
    bodies.answer({ headers: { 'accept-encoding': 'gzip' } }, { body });
  const held = Buffer.from(document);
  await Promise.all([send(held), send(Buffer.from(document))]).then(() => {});
  expect(bodies.stats().kept).toBe(2);
  while (bodies.stats().kept > 1) {
    gc();
    await turn();
  }
  expect(held.length).toBe(document.length);
});
