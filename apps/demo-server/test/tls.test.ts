import { expect, test } from 'vitest';
import { serveDemo } from './demo.ts';
import { pem, REFUSED, testHttps } from './tls-cases.ts';

testHttps('single');

test('a key in the place of the certificate keeps the server from its start', async () => {
  await expect(serveDemo('--tls-cert', pem('key'), '--tls-key', pem('key'))).rejects.toThrow(
    REFUSED,
  );
});
