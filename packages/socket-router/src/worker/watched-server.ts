import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { closeAfterFirstStreams, type ServerSession } from '@ticketing/kit';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { interceptRequests } from '../server/intercept-requests.ts';
import { Arrivals } from './arrivals.ts';
import { ClientAddresses } from './client-address.ts';
import { BusyConnections } from './drain-connections.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { Server } = process.getBuiltinModule('node:http');

/** A server whose requests and HTTP/2 sessions are recorded. */
export interface WatchedServer {
  readonly server: AttachableServer;
  readonly addresses: ClientAddresses;
  readonly arrivals: Arrivals;
  readonly busy: BusyConnections;
  /** Open HTTP/2 sessions. */
  readonly sessions: ReadonlySet<ServerSession>;
}

/**
 * Begins to record the requests and sessions of a server; a session that comes after `draining` ends with its first streams. The
 * timeouts of a server that does not listen begin, too, unless it is about to.
 */
export function watchServer(
  server: AttachableServer,
  draining: AbortSignal,
  isAboutToListen = false,
): WatchedServer {
  const arrivals = new Arrivals();
  const busy = new BusyConnections(server);
  const sessions = new Set<ServerSession>();
  interceptRequests(server, (event, [request, other]) => {
    arrivals.record(request as IncomingMessage);
    busy.record(event, other);
    return false;
  });
  if (!server.listening && !isAboutToListen) beginTimeouts(server);
  server.on('session', (session: ServerSession) => {
    sessions.add(session);
    // Its connection was on its way when the worker began to leave.
    if (draining.aborted) closeAfterFirstStreams(session);
    session.once('close', () => sessions.delete(session));
  });
  return { server, addresses: new ClientAddresses(server), arrivals, busy, sessions };
}

/** First bytes of a connection, and its addresses, as a router has read them. */
export interface FirstRead {
  readonly bytes: Buffer | undefined;
  readonly proxy: ProxiedAddresses | undefined;
}

/** Makes a connection ready for its server: with the bytes and the client's address that the router has read. */
export function prepareSocket(
  { server, addresses }: WatchedServer,
  socket: Socket,
  { bytes, proxy }: FirstRead,
): void {
  socket.allowHalfOpen = server.allowHalfOpen ?? false;
  if (bytes !== undefined) socket.unshift(bytes);
  if (proxy !== undefined) addresses.set(socket, proxy);
}

/**
 * Starts the timeouts of an HTTP server that does not listen, and its count of idle connections. The platform begins them in
 * a listener of `listening`, an event that is not true here: other listeners would ask for an address that there is not.
 */
function beginTimeouts(server: AttachableServer): void {
  const own = new Server().listeners('listening');
  for (const listener of server.listeners('listening')) {
    if (own.includes(listener)) listener.call(server);
  }
}
