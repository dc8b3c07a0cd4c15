import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { MADRID_BARCELONA, sharedServer } from './demo.ts';

const shared = sharedServer('--latency', '0');

/** Asks with exactly these headers, and leaves the bytes as they come. */
function ask(path: string, headers: http.OutgoingHttpHeaders = {}) {
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; bytes: Buffer }>(
    (resolve, reject) => {
      const answered = async (response: http.IncomingMessage): Promise<void> => {
        const bytes = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes });
      };
      http.get(shared().url + path, { headers, agent: false }, answered).once('error', reject);
    },
  );
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'gzip'],
  ['gzip;q=0.5, br;q=0.9', 'br'],
  ['br;q=0.2, gzip;q=0.8, *;q=0.1', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['identity, br;q=0.5', 'identity'],
  ['deflate', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
])(
  'GET /search with accept-encoding %j comes as %s, with equal bytes',
  async (accepted, coding) => {
    const wanted = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const { status, headers, bytes } = await ask(MADRID_BARCELONA, wanted);
    expect([status, headers['content-encoding'] ?? 'identity']).toEqual([200, coding]);
    expect(headers).toMatchObject({
      vary: 'accept, accept-encoding',
      'cache-control': 'no-store',
      'content-length': String(bytes.length),
    });
    const text = decoders[coding]?.(bytes).toString() ?? '';
    expect(JSON.parse(text)).toMatchObject({ complete: true });
    if (coding !== 'identity') expect(bytes.length * 5).toBeLessThan(text.length);
  },
);

test('streams, problems and short answers stay plain, and nothing is kept', async () => {
  for (const [path, accept, status] of [
    [MADRID_BARCELONA, 'application/x-ndjson', 200],
    ['/search?origin=Madrid', '*/*', 400],
    ['/compute', '*/*', 200],
    ['/healthz', '*/*', 200],
    ['/stats', '*/*', 200],
    ['/nowhere', '*/*', 404],
  ] as const) {
    const answer = await ask(path, { accept, 'accept-encoding': 'br' });
    expect([answer.status, answer.headers['content-encoding']], path).toEqual([status, undefined]);
    expect(answer.headers['cache-control'], path).toBe('no-store');
  }
});

test.each(['/openapi.json', '/stations'])(
  'GET %s may be kept and is asked for again with its tag, which each encoding has of its own',
  async (path) => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'br', 'gzip']) {
      const { headers, bytes } = await ask(path, { 'accept-encoding': coding });
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        etag: expect.stringMatching(/^"[^"]+"$/),
      });
      expect(JSON.parse(decoders[coding]?.(bytes).toString() ?? '')).toBeTypeOf('object');
      tags.add(headers.etag ?? '');
      const again = await ask(path, {
        'accept-encoding': coding,
        'if-none-match': headers.etag ?? '',
      });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
    }
    expect(tags.size).toBe(3);
  },
);

test('GET /stations lists the stations with the names by which GET /search finds them', async () => {
  const { get } = shared();
  const { body, type } = await get('/stations');
  expect(type).toBe('application/json');
  expect(body.stations.length).toBeGreaterThan(40);
  const madrid = body.stations.find(({ id }: { id: string }) => id === 'uic:7160000');
  expect(madrid).toEqual({
    id: 'uic:7160000',
    name: 'Madrid Puerta de Atocha-Almudena Grandes',
    country: 'ES',
    aliases: expect.arrayContaining(['Madrid Atocha']),
  });
});
