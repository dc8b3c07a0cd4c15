import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AttachableServer } from './attachable-server.ts';

/** How often connections are looked for that have become idle, in milliseconds. */
const SWEEP_MS = 20;

export interface Drain {
  readonly server: AttachableServer;
  /** The connections, which leave the sets when they close. */
  readonly sockets: readonly ReadonlySet<Socket>[];
  /** HTTP/2 sessions that are open. */
  readonly sessions: ReadonlySet<{ close(): void }>;
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
function closed({ server, sockets, waitsForMore, graceMs, lameDuckMs }: Drain): Promise<void> {
  return new Promise((resolve) => {
    const begin = performance.now();
    const lameMs = Math.min(lameDuckMs, graceMs / 2);
    const sweep = (): void => {
      const ms = performance.now() - begin;
      const isLame = ms < lameMs;
      // There is no event for a connection that becomes idle.
      if (!isLame) server.closeIdleConnections?.();
      const isEmpty = sockets.every((set) => set.size === 0) && !(isLame && waitsForMore);
      if (isEmpty || ms >= graceMs) resolve();
      else setTimeout(sweep, SWEEP_MS);
    };
    sweep();
  });
}
