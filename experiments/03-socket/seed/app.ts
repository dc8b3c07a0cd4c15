import { createServer, type IncomingMessage, type Server } from 'node:http';

/** The routes of all workers in the seed's shape, without a framework: `POST /sink` and `GET /compute`, answered as by the demo. */
export function createApp(): Server {
  return createServer(async (request, response) => {
    // The seed's proxy prefixes the path with this.
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
