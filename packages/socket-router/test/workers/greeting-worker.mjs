// A server of a protocol in which the server speaks first: it greets with its pid, and says everything back.
import { createServer } from 'node:net';
import { attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

await serve(() => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.write(`${process.pid} greets ${socket.remoteAddress}\n`);
    socket.pipe(socket);
  });
  return attachServer(server, { orphanGraceMs: 500 });
});
