import { once } from 'node:events';
import { rmdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Arrivals } from './arrivals.ts';
import { type AttachableServer, allowsHalfOpen } from './attachable-server.ts';

/** A unix socket by which requests reach this worker that another process has read. */
export interface WorkerSocket {
  /** Connections that came in by it and are open. */
  readonly sockets: ReadonlySet<Socket>;
  close(): void;
}

/** Listens on a unix socket for a server. @throws the platform's error when the path cannot be used */
export async function openWorkerSocket(
  path: string,
  server: AttachableServer,
  arrivals: Arrivals,
): Promise<WorkerSocket> {
  const sockets = new Set<Socket>();
  const listener: Server = createServer({ allowHalfOpen: allowsHalfOpen(server) }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    arrivals.trust(socket);
    server.emit('connection', socket);
  });
  // Not by the primary of a node:cluster: that hands connections on, and forgets those on their way to a killed worker.
  listener.listen({ path, exclusive: true });
  await once(listener, 'listening');
  return {
    sockets,
    close: () => {
      listener.close();
      removeEmpty(dirname(path));
    },
  };
}

/** The router removes the folder; if it was killed, the last worker does, which may exit at once after this. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Others are still in it, or it is gone.
  }
}
