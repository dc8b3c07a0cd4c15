import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { isFullScale, scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { MADRID_BARCELONA, runDemo, serveDemo, startDemo } from './demo.ts';

const pem = (name: string) => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url));
const flags = ['--tls-cert', pem('cert'), '--tls-key', pem('key')];
const client = { ca: readFileSync(pem('cert')), servername: 'router.test' };

function ask(url: string): Promise<{ worker: string; complete: boolean }> {
  return new Promise((resolve, reject) => {
    https
      .get(url, { ...client, agent: false }, async (response) => {
        const body = Buffer.concat(await response.toArray()).toString();
        const worker = String(response.headers['x-worker']);
        resolve({ worker, complete: JSON.parse(body).complete });
      })
      .once('error', reject);
  });
}

function testHttps(accept: string): void {
  test(`--accept ${accept} serves HTTPS`, async () => {
    const argv = [...flags, '--latency', '50'];
    const { url } =
      accept === 'single'
        ? await serveDemo(...argv)
        : await startDemo(['--accept', accept, '--workers', '2', ...argv]);
    expect(url).toMatch(/^https:/);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(url + MADRID_BARCELONA)));
    expect(answers.map(({ complete }) => complete)).toEqual(Array(8).fill(true));
    expect(new Set(answers.map(({ worker }) => worker)).size).toBe(accept === 'single' ? 1 : 2);
  });
}

/** The line about a certificate and a key that are not one's. */
const REFUSED =
  /^Cannot start: --tls-cert and --tls-key must be a certificate and its key, got .*$/;

for (const accept of scaled({ fast: ['single'], full: ['single', 'cluster', 'socket'] })) {
  testHttps(accept);
}

test('a key in the place of the certificate keeps the server from its start', async () => {
  await expect(serveDemo('--tls-cert', pem('key'), '--tls-key', pem('key'))).rejects.toThrow(
    REFUSED,
  );
});

test.runIf(isFullScale()).each([
  [pem('key'), REFUSED],
  ['/nowhere.pem', /^Cannot start: --tls-cert and --tls-key .*got ENOENT.*$/],
])('--tls-cert %s: one clear line and exit code 2', async (cert, line) => {
  const { code, stderr } = await runDemo(['--tls-cert', cert, '--tls-key', pem('key')]);
  expect([code, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr.trimEnd()).toMatch(line);
});

test.runIf(isFullScale()).each(['cluster', 'socket'])(
  '--accept %s: a session that began with one process goes on with another',
  async (accept) => {
    const { url } = await startDemo(['--accept', accept, '--workers', '2', ...flags]);
    const { hostname: host, port } = new URL(url);
    const workers = new Set<string | undefined>();
    let session: Buffer | undefined;
    // The first begins the session, the others take it up wherever they come.
    for (let index = 0; index < 8; index++) {
      const options = { host, port: Number(port), ...client, ...(session && { session }) };
      const socket = tls.connect(options);
      socket.once('session', (begun) => {
        session ??= begun;
      });
      const reused = once(socket, 'secureConnect').then(() => socket.isSessionReused());
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      const answer = Buffer.concat(await socket.toArray()).toString();
      workers.add(/x-worker: (\d+)/i.exec(answer)?.[1]);
      expect(await reused).toBe(index > 0);
    }
    expect(workers.size).toBe(2);
  },
);
