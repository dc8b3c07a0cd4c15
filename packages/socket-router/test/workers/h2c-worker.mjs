// HTTP/2 without TLS.
import { attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

const { createServer } = process.getBuiltinModule('node:http2');
await serve(() =>
  attachServer(
    createServer((request, response) => response.end(`${request.httpVersion} ${request.url}`)),
  ),
);
