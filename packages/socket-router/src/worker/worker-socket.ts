import { once } from 'node:events';
import { existsSync, rmdirSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { MarkWriter } from '../wire/claim-marks.ts';
import type { Arrivals } from './arrivals.ts';
import { claimRequests } from './claim-requests.ts';

/** A unix socket that accepts requests which another process has read. */
export interface WorkerSocket {
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  close(): void;
}

export interface WorkerSocketOptions {
  readonly path: string;
  readonly routerPid: number;
  readonly server: AttachableServer;
  readonly arrivals: Arrivals;
}

/**
 * Listens on a unix socket for a server. Resolves with `undefined` when the router has closed and removed the folder.
 *
 * @throws TypeError for a server that reads no HTTP/1 in plain text, or the platform's error when the path cannot be used
 */
export async function openWorkerSocket(
  options: WorkerSocketOptions,
): Promise<WorkerSocket | undefined> {
  const { path, routerPid, server, arrivals } = options;
  requirePlainHttp(server);
  const sockets = new Set<Socket>();
  const { allowHalfOpen = false } = server;
  const marks = new MarkWriter(path);
  claimRequests(server, { connections: sockets, marks });
  const listener = createServer({ allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    arrivals.trust(socket);
    server.emit('connection', socket);
  });
  // The primary of a node:cluster would hand connections on, and forget those on their way to a killed worker.
  listener.listen({ path, exclusive: true });
  try {
    await once(listener, 'listening');
  } catch (error) {
    if (existsSync(dirname(path))) throw error;
    return undefined;
  }
  return {
    sockets,
    close: () => {
      listener.close();
      marks.close();
      // A router removes the folder itself, and needs it for successors. The last worker of a killed router removes it.
      if (process.ppid !== routerPid) removeEmpty(dirname(path));
    },
  };
}

/** Refuses a server of which each request would fail. */
function requirePlainHttp(server: AttachableServer): void {
  const isSecure = 'setSecureContext' in server;
  if (!isSecure && !('updateSettings' in server)) return;
  const got = isSecure ? 'one that ends TLS' : 'one of HTTP/2';
  throw new TypeError(
    `Cannot attach server: \`server\` must be an http server with \`mode\` passthru or \`laterRequests\` forward, got ${got}`,
  );
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Others are still in it, or it is gone.
  }
}
