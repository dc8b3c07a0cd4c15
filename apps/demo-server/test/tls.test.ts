import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { MADRID_BARCELONA, runDemo, startDemo } from './demo.ts';

vi.setConfig({ testTimeout: 30_000 });

const pem = (name: string) => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url));
const ca = readFileSync(pem('cert'));
const flags = ['--tls-cert', pem('cert'), '--tls-key', pem('key')];
const client = { ca, servername: 'router.test' };

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

test.each([
  ['single', []],
  ['cluster', ['--workers', '2']],
  ['socket', ['--workers', '2']],
])('--accept %s serves HTTPS', async (accept, more) => {
  const { url } = await startDemo(['--accept', accept, ...more, ...flags, '--latency', '50']);
  expect(url).toMatch(/^https:/);
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(url + MADRID_BARCELONA)));
  expect(answers.map(({ complete }) => complete)).toEqual(Array(8).fill(true));
  expect(new Set(answers.map(({ worker }) => worker)).size).toBe(accept === 'single' ? 1 : 2);
});

test.each(['cluster', 'socket'])(
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
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const answer = Buffer.concat(await socket.toArray()).toString();
      workers.add(/x-worker: (\d+)/i.exec(answer)?.[1]);
      expect(await reused).toBe(index > 0);
    }
    expect(workers.size).toBe(2);
  },
);

test.each([
  [
    pem('key'),
    /^Cannot start: --tls-cert and --tls-key must be a certificate and its key, got .*\n$/,
  ],
  ['/nowhere.pem', /^Cannot start: --tls-cert and --tls-key .*got ENOENT.*\n$/],
])('--tls-cert %s: one clear line and exit code 2', async (cert, line) => {
  const { code, stderr } = await runDemo(['--tls-cert', cert, '--tls-key', pem('key')]);
  expect([code, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr).toMatch(line);
});
