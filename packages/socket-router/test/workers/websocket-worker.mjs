// Echoes messages, and says first who it is.
import { attachServer } from '@ticketing/socket-router';
import { WebSocketServer } from 'ws';
import { serve } from './serve.mjs';

const { createServer } = process.getBuiltinModule('node:http');
await serve(() => {
  const server = createServer((_, response) => response.end('plain'));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/forbidden') {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
      return;
    }
    if (request.url === '/half') {
      socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 20\r\n\r\nno');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.send(JSON.stringify({ pid: process.pid, from: request.headers['x-forwarded-for'] }));
      client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
    });
  });
  const handle = attachServer(server);
  handle.draining.addEventListener('abort', () => {
    for (const client of sockets.clients) client.close(1001);
  });
  return handle;
});
