import { createServer, type Server } from 'node:http';
import { DispatchError } from '@ticketing/dispatch';
import type { Reads } from './reads.ts';

export function createReadServer(reads: Reads): Server {
  return createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/stats') {
      const { asked, hedge } = reads.stats();
      response.end(JSON.stringify({ asked, ...hedge }));
      return;
    }
    const [, id] = /^\/items\/(\w+)$/.exec(request.url ?? '') ?? [];
    const left = new AbortController();
    response.once('close', () => left.abort());
    try {
      // Only what is `idempotent` may be asked twice.
      const options = { idempotent: true, timeoutMs: 2000, signal: left.signal };
      const item = id === undefined ? undefined : await reads.run('item', id, options);
      response.statusCode = item === undefined ? 404 : 200;
      response.end(JSON.stringify(item ?? { error: 'not found' }));
    } catch (error) {
      const isLate = DispatchError.is(error) && error.code === 'ERR_TIMEOUT';
      response.statusCode = isLate ? 504 : 502;
      response.end(JSON.stringify({ error: String(error) }));
    }
  });
}
