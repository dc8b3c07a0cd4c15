import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Affinity } from './affinity.ts';
import type { AttachableServer } from './attachable-server.ts';

/** Ends each connection that was routed by a key or to a slot with its first answer, so that the next request is routed anew. */
export function oneRequestEach(server: AttachableServer): Affinity {
  const routed = new WeakSet<Socket>();
  const sayClose = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    if (routed.has(socket)) response.setHeader('connection', 'close');
  };
  server.prependListener('request', sayClose);
  return {
    add: (socket, { isRouted }) => {
      if (isRouted) routed.add(socket);
    },
    update: () => {},
    // Those that stay are the server's, which says so itself.
    drain: () => {},
    close: () => server.off('request', sayClose),
  };
}
