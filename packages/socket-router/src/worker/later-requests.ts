import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { noteLast } from '../server/connection-notes.ts';
import { interceptRequests } from '../server/intercept-requests.ts';
import type { HandMessage } from '../wire/messages.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { ServerResponse } = process.getBuiltinModule('node:http');

/** Route of the first request on a connection. */
export type RoutedBy = Pick<HandMessage, 'key' | 'isRouted'>;

/** Decides where later requests on a connection go. */
export interface LaterRequests {
  /** Called for a connection from a router, before the server gets it. */
  add?(socket: Socket, by: RoutedBy): void;
  /** Called with the unix sockets of all ready workers. */
  update?(peers: readonly { readonly slot: string; readonly socketPath: string }[]): void;
  /** Makes each answer from now on the last on its connection. */
  drain?(): void;
  close?(): void;
  /** Requests that went to another worker. */
  readonly forwarded?: number;
}

/**
 * Ends each connection that was routed by a key or to a slot with its first answer, so that the next request is routed
 * anew. Requests behind the first are not processed.
 */
export function oneRequestEach(server: AttachableServer): LaterRequests {
  const routed = new WeakSet<Socket>();
  interceptRequests(server, (_, [request, other]) => {
    const first = request as IncomingMessage;
    if (!routed.has(first.socket)) return false;
    noteLast(first);
    if (other instanceof ServerResponse) other.setHeader('connection', 'close');
    return false;
  });
  return {
    add: (socket, { isRouted }) => {
      if (isRouted) routed.add(socket);
    },
  };
}
