import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { closeAfterFirstStreams } from '@ticketing/kit';
import type { HttpServer } from './worker-options.ts';

/** Requests and connections of a server, counted by its public events. */
export interface Traffic {
  readonly requests: number;
  /** Requests that are not answered yet. */
  readonly inFlight: number;
  /** True while a request is in flight, or a connection has another protocol, after an upgrade or from its beginning. */
  readonly isBusy: boolean;
  readonly connections: ReadonlySet<Socket>;
  /**
   * Closes every connection without a request in flight, even with a part of a request's head; an HTTP/2 session ends with its
   * streams.
   */
  destroyIdle(): void;
  /**
   * Adds `Connection: close` to every answer whose head is not sent yet, now and later. HTTP/2 sessions take no further streams,
   * and send GOAWAY to their clients.
   */
  turnAway(): void;
}

/** Counts the traffic of a server from now on. Calls `changed` after a connection or an answer has ended. */
export function watchTraffic(server: HttpServer, changed: () => void): Traffic {
  const connections = new Set<Socket>();
  const responses = new Set<ServerResponse>();
  const sessions = new Set<Http2Session>();
  const streams = new Set<ServerHttp2Stream>();
  /** Connections that have made an `Upgrade` or `CONNECT`. */
  const upgraded = new Set<Socket>();
  let requests = 0;
  let isTurningAway = false;
  server.on('session', (session: Http2Session) => {
    sessions.add(session);
    session.once('close', () => {
      sessions.delete(session);
      changed();
    });
    session.on('stream', (stream: ServerHttp2Stream) => {
      requests += 1;
      streams.add(stream);
      stream.once('close', () => {
        streams.delete(stream);
        changed();
      });
    });
    if (isTurningAway) closeAfterFirstStreams(session);
  });
  // A TLS server emits `connection` before the handshake.
  server.on('secureConnection' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      changed();
    });
  });
  // Watched only where the program has a listener: the server does not answer such requests once there is any listener.
  const unwatched = new Set(['upgrade', 'connect']);
  const watchUpgrade = (name: string): void => {
    if (!unwatched.delete(name)) return;
    server.prependListener(name, (_: IncomingMessage, socket: Socket) => {
      upgraded.add(socket);
      socket.once('close', () => {
        upgraded.delete(socket);
        changed();
      });
    });
  };
  for (const name of [...unwatched]) if (server.listenerCount(name) > 0) watchUpgrade(name);
  server.on('newListener', watchUpgrade);
  // One function for all requests, because `once` makes two for each.
  function ended(this: ServerResponse): void {
    responses.delete(this);
    changed();
  }
  // Prepended, because the application's own listener may answer at once.
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    // A request of HTTP/2 is counted by its stream.
    if ('stream' in response) return;
    requests += 1;
    responses.add(response);
    if (isTurningAway) sayClose(response);
    response.on('close', ended);
  });
  return {
    get requests() {
      return requests;
    },
    get inFlight() {
      return responses.size + streams.size;
    },
    get isBusy() {
      // A closed session stays until the last bytes of its streams are sent.
      return responses.size > 0 || sessions.size > 0 || upgraded.size > 0;
    },
    connections,
    destroyIdle() {
      const busy = new Set([...upgraded, ...[...responses].map(({ req }) => req.socket)]);
      for (const socket of connections) {
        if (!busy.has(socket) && !hasSession(server, socket)) socket.destroy();
      }
      for (const session of sessions) if (!session.closed) session.close();
    },
    turnAway() {
      isTurningAway = true;
      for (const session of sessions) session.close();
      for (const response of responses) sayClose(response);
    },
  };
}

function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Returns true for a connection of HTTP/2: over TLS by the agreed protocol, without TLS by the kind of server. */
function hasSession(server: HttpServer, socket: Socket): boolean {
  const { alpnProtocol } = socket as Partial<TLSSocket>;
  return alpnProtocol === undefined ? 'updateSettings' in server : alpnProtocol === 'h2';
}
