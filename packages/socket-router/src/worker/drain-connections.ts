import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ServerSession } from '@ticketing/kit';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { noteLast, notesOf } from '../server/connection-notes.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { Server } = process.getBuiltinModule('node:http');

/** Milliseconds between two checks for idle connections: no event reports that a connection has become idle. */
const SWEEP_MS = 20;

/** Open connections; a closed one is no longer in it. */
export interface OpenSockets {
  readonly size: number;
  keys(): Iterable<Socket>;
}

export interface Drain {
  readonly server: AttachableServer;
  /** The connections, which leave the sets when they close. */
  readonly sockets: readonly OpenSockets[];
  /** Open HTTP/2 sessions. */
  readonly sessions: ReadonlySet<ServerSession>;
  readonly busy: BusyConnections;
  /** Connections may come although none is open now. */
  readonly waitsForMore: boolean;
  readonly graceMs: number;
  /**
   * Milliseconds of the grace for which idle connections stay open. A connection that is closed while a
   * request is on its way loses that request; a busy one soon sends another request, whose answer announces that it is the last.
   */
  readonly lameDuckMs: number;
}

/**
 * Knows the connections of a plain HTTP server that have a request in flight, or another protocol after an upgrade: Node
 * counts half a head as busy, which is no request. Counts every connection of other servers as busy.
 */
export class BusyConnections {
  readonly #isKnown: boolean;
  /** Listener for all responses: one for each would cost every request. */
  readonly #ended: (this: ServerResponse) => void;

  constructor(server: AttachableServer) {
    this.#isKnown = server instanceof Server;
    this.#ended = function (this: ServerResponse): void {
      notesOf(this.req.socket).requests -= 1;
    };
  }

  /**
   * Must be called for each request of the server, also for one that another worker is to answer: with its event, and the response or
   * the socket. A request that is recorded twice counts twice until its answer has ended.
   */
  record(event: string | symbol, other: unknown): void {
    if (!this.#isKnown) return;
    if (event === 'upgrade' || event === 'connect') {
      notesOf(other as Socket).isUpgraded = true;
      return;
    }
    const response = other as ServerResponse;
    notesOf(response.req.socket).requests += 1;
    response.on('close', this.#ended);
  }

  /** Closes the connections that are not busy. */
  destroyOthers(sockets: Iterable<Socket>): void {
    if (!this.#isKnown) return;
    for (const socket of sockets) {
      const { requests, isUpgraded } = notesOf(socket);
      if (requests === 0 && !isUpgraded) socket.destroy();
    }
  }
}

/**
 * Ends connections as soon as their requests are answered, and the rest after the grace. A server's own `close()` does
 * not wait for connections that it did not accept itself.
 */
export async function drainConnections(drain: Drain): Promise<void> {
  const { server, sockets, sessions, busy, waitsForMore, graceMs, lameDuckMs } = drain;
  const begin = performance.now();
  const lameMs = Math.min(lameDuckMs, graceMs);
  const lastAnswer = (request: IncomingMessage, response: ServerResponse): void => {
    // HTTP/2 has no such field.
    if (response.headersSent || 'stream' in response) return;
    response.setHeader('connection', 'close');
    noteLast(request);
  };
  server.prependListener('request', lastAnswer);
  for (const session of sessions) session.close();
  for (;;) {
    const ms = performance.now() - begin;
    const isLame = ms < lameMs;
    if (!isLame) {
      for (const session of sessions) if (!session.closed) session.close();
      server.closeIdleConnections?.();
      for (const set of sockets) busy.destroyOthers(set.keys());
    }
    const isEmpty = sockets.every((set) => set.size === 0) && !(isLame && waitsForMore);
    if (isEmpty || ms >= graceMs) break;
    await setTimeout(SWEEP_MS);
  }
  for (const set of sockets) for (const socket of set.keys()) socket.destroy();
  server.off('request', lastAnswer);
}
