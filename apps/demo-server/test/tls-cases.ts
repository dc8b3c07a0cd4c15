import { readFileSync } from 'node:fs';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MADRID_BARCELONA, serveDemo, startDemo } from './demo.ts';

export const pem = (name: string) => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url));
export const flags = ['--tls-cert', pem('cert'), '--tls-key', pem('key')];
export const client = { ca: readFileSync(pem('cert')), servername: 'router.test' };

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

export function testHttps(accept: string): void {
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
export const REFUSED =
  /^Cannot start: --tls-cert and --tls-key must be a certificate and its key, got .*$/;
