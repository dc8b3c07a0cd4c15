import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Finds the address and port that are meant by a name and by port 0. Serving processes are started with them, so that all
 * have the same, those that replace others too.
 *
 * @throws the socket's error if nobody can listen there
 */
export async function claimAddress(wanted: {
  readonly host: string;
  readonly port: number;
}): Promise<AddressInfo> {
  const server = createServer().listen(wanted.port, wanted.host);
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
}
