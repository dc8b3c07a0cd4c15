import { once } from 'node:events';
import { createServer } from 'node:net';

/** An address that was free a moment ago. */
export interface FreeAddress {
  readonly address: string;
  readonly port: number;
  readonly url: string;
}

/**
 * Finds the address and port that are meant by a name and by port 0. Serving processes are started with them, so that all
 * have the same, those that replace others too.
 *
 * @throws the socket's error if nobody can listen there
 */
export async function claimAddress(wanted: {
  readonly host: string;
  readonly port: number;
}): Promise<FreeAddress> {
  const server = createServer().listen(wanted.port, wanted.host);
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') {
    throw new TypeError(`Cannot listen: an address with a port expected, got ${bound}`);
  }
  const { address, port, family } = bound;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return { address, port, url: `http://${host}:${port}` };
}
