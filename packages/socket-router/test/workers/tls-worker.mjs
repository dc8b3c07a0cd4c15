// HTTPS, HTTP/2 with fallback, or bare TLS: answers the protocol, and whether the session was resumed.
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import { createServer as createTls } from 'node:tls';
import { attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

const options = {
  key: readFileSync(new URL('tls/key.pem', import.meta.url)),
  cert: readFileSync(new URL('tls/cert.pem', import.meta.url)),
  // The same in all workers, so that each takes the others' tickets.
  ticketKeys: Buffer.alloc(48, 'ticket'),
};

function answer(request, response) {
  const { socket } = request;
  const answer = {
    pid: process.pid,
    httpVersion: request.httpVersion,
    url: request.url,
    reused: (request.stream?.session.socket ?? socket).isSessionReused(),
    remoteAddress: socket.remoteAddress,
  };
  response.end(JSON.stringify(answer));
}

const servers = {
  https: () => createHttps(options, answer),
  http2: () => createSecureServer({ ...options, allowHTTP1: true }, answer),
  tls: () =>
    createTls(options, (socket) => {
      socket.on('error', () => {});
      socket.end(JSON.stringify({ pid: process.pid, servername: socket.servername }));
    }),
};
await serve(({ SERVER, ROUTE }) =>
  attachServer(servers[SERVER](), ROUTE && { route: () => undefined }),
);
