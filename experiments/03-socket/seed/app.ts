import { createServer, type IncomingMessage, type Server } from 'node:http';

/** What every seed-shaped worker serves, besides no framework: `POST /sink` and `GET /compute`, as the demo answers them. */
export function createApp(): Server {
  return createServer(async (request, response) => {
    // The proxy of the seed puts this before the path.
    const path = (request.url ?? '').replace(/^\/worker/, '');
    const answer =
      path === '/sink' ? { bytes: await bytesOf(request) } : { number: Date.now() * Math.random() };
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('x-worker', process.pid);
    response.end(JSON.stringify(answer));
  });
}

function bytesOf(request: IncomingMessage): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.once('end', () => resolve(bytes)).once('error', reject);
  });
}
