import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';

/** The same server in each worker: `GET` answers a text, `POST /sink` the length of its body, `POST /md5` its hash. */
export function createBenchServer(): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.method === 'GET') {
      response.end('hello');
      return;
    }
    const hash = request.url === '/md5' ? createHash('md5') : undefined;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash?.update(chunk);
    });
    request.on('end', () => response.end(hash?.digest('hex') ?? String(bytes)));
  });
}
