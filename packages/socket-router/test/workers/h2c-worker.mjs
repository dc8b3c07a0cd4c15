// HTTP/2 without TLS.
import { createServer } from 'node:http2';
import { attachWorker } from '@ticketing/socket-router';

attachWorker(
  createServer((request, response) => response.end(`${request.httpVersion} ${request.url}`)),
);
