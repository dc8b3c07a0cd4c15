// Answers each whole request with what it has read of it, in the header `x-seen`, and with how many it has read.
import { attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

const { createServer } = process.getBuiltinModule('node:http');

await serve(({ ROUTE }) => {
  let count = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const { method, url, rawHeaders } = request;
      const seen = { method, url, rawHeaders, body: Buffer.concat(chunks).toString('latin1') };
      response.writeHead(200, {
        'x-seen': Buffer.from(JSON.stringify(seen)).toString('base64'),
        'x-count': count,
        'content-length': 0,
      });
      response.end();
    });
  });
  const route = ({ target }) => ({ slot: target === '/first' ? '0' : '1' });
  return attachServer(server, { orphanGraceMs: 500, ...(ROUTE === 'slots' && { route }) });
});
