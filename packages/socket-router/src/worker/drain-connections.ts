import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AttachableServer } from './attachable-server.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { Server } = process.getBuiltinModule('node:http');

/** How often connections are looked for that have become idle, in milliseconds. */
const SWEEP_MS = 20;

export interface Drain {
  readonly server: AttachableServer;
  /** The connections, which leave the sets when they close. */
  readonly sockets: readonly ReadonlySet<Socket>[];
  /** HTTP/2 sessions that are open. */
  readonly sessions: ReadonlySet<{ close(): void }>;
  readonly busy: BusyConnections;
  /** Connections may come although there is none now. */
  readonly waitsForMore: boolean;
  readonly graceMs: number;
  /**
   * How long a connection that is idle may ask once more, in milliseconds: one that is closed while a request is on its
   * way to it loses that request, and one that is busy asks soon, and is told with the answer that it was the last.
   */
  readonly lameDuckMs: number;
}

/**
 * Knows on which connections of a plain HTTP server a request is in flight, or another protocol since an upgrade: half a
 * head is no request, and Node does not count it as idle. Of other servers it takes every connection for busy.
 */
export class BusyConnections {
  readonly #responses = new Set<ServerResponse>();
  readonly #upgraded = new WeakSet<Socket>();
  readonly #isKnown: boolean;

  constructor(server: AttachableServer) {
    this.#isKnown = server instanceof Server;
    if (!this.#isKnown) return;
    const { emit } = server;
    // A listener would change what the server does: one of `upgrade` takes all upgrades.
    server.emit = (event: string | symbol, ...values: unknown[]) => {
      if (event === 'request') this.#add(values[1] as ServerResponse);
      if (event === 'upgrade' || event === 'connect') this.#upgraded.add(values[1] as Socket);
      return (emit as (event: string | symbol, ...values: unknown[]) => boolean).call(
        server,
        event,
        ...values,
      );
    };
  }

  /** Closes those of the connections that are not busy. */
  destroyOthers(sockets: Iterable<Socket>): void {
    if (!this.#isKnown) return;
    const busy = new Set<Socket>([...this.#responses].map(({ req }) => req.socket));
    for (const socket of sockets) {
      if (!busy.has(socket) && !this.#upgraded.has(socket)) socket.destroy();
    }
  }

  #add(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }
}

/**
 * Ends connections as soon as what they answer is answered, and those that are left after the grace at once. A server
 * does not know connections that it did not accept itself: `close()` would not wait for them.
 */
export async function drainConnections(drain: Drain): Promise<void> {
  const { server, sockets, sessions } = drain;
  const lastAnswer = (_: unknown, response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.prependListener('request', lastAnswer);
  for (const session of sessions) session.close();
  await closed(drain);
  for (const set of sockets) for (const socket of set) socket.destroy();
  server.off('request', lastAnswer);
}

/** Resolves when no connection is open, or when the grace is over. */
function closed({
  server,
  busy,
  sockets,
  waitsForMore,
  graceMs,
  lameDuckMs,
}: Drain): Promise<void> {
  return new Promise((resolve) => {
    const begin = performance.now();
    const lameMs = Math.min(lameDuckMs, graceMs / 2);
    const sweep = (): void => {
      const ms = performance.now() - begin;
      const isLame = ms < lameMs;
      // There is no event for a connection that becomes idle.
      if (!isLame) {
        server.closeIdleConnections?.();
        for (const set of sockets) busy.destroyOthers(set);
      }
      const isEmpty = sockets.every((set) => set.size === 0) && !(isLame && waitsForMore);
      if (isEmpty || ms >= graceMs) resolve();
      else setTimeout(sweep, SWEEP_MS);
    };
    sweep();
  });
}
