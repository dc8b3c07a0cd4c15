import { pem, testHttps, testRefusal } from './tls-cases.ts';

testHttps('single');

testRefusal(
  pem('key'),
  /^Cannot start: --tls-cert and --tls-key must be a certificate and its key, got .*\n$/,
);
