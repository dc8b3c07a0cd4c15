import { readFileSync } from 'node:fs';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MADRID_BARCELONA, runDemo, startDemo } from './demo.ts';

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
