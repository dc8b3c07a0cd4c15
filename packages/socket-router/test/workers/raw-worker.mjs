// Answers with the bytes in the header `x-raw`, in Base64, past Node's own checks, and closes; without it, with the request's target. Routes
// by slots as the header `x-slot` says. The header `x-large` of an answer has as many bytes as `?large=` asks for.
import { attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

const { createServer } = process.getBuiltinModule('node:http');

await serve(({ ROUTE, UPGRADES }) => {
  const seen = [];
  const server = createServer((request, response) => {
    const { url, headers, socket } = request;
    if (url === '/seen') {
      response.end(JSON.stringify(seen.splice(0)));
      return;
    }
    seen.push(url);
    if (headers['x-raw'] !== undefined) {
      socket.end(Buffer.from(headers['x-raw'], 'base64'));
      return;
    }
    const { pathname, searchParams } = new URL(url, 'http://worker');
    if (pathname === '/hints') {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
    }
    if (pathname === '/trailers') {
      response.writeHead(200, { trailer: 'x-trailer' });
      response.addTrailers({ 'x-trailer': 'sent' });
    }
    if (searchParams.has('large')) {
      response.setHeader('x-large', 'y'.repeat(Number(searchParams.get('large'))));
    }
    if (pathname === '/begun') {
      response.write('begun');
      return;
    }
    request.resume().on('end', () => {
      if (pathname === '/never') return;
      response.end(JSON.stringify({ url, trailers: request.trailers, headers }));
    });
  });
  if (UPGRADES) server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 101 S\r\n\r\n'));
  const route = ({ header }) => ({ slot: header?.('x-slot') ?? '0' });
  const handle = attachServer(server, { ...(ROUTE === 'slots' && { route }) });
  return handle;
});
