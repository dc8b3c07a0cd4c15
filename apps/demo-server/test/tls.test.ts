import { expect, test } from 'vitest';
import { runDemo } from './demo.ts';
import { pem, testHttps } from './tls-cases.ts';

testHttps('single');

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
