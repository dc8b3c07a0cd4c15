import type { AttachOptions, WorkerHandle } from '../contract/worker-handle.ts';
import {
  type ResolvedAttachOptions,
  resolveAttachOptions,
} from '../options/resolve-attach-options.ts';
import type { AttachableServer } from './attachable-server.ts';
import { AttachedWorker } from './attached-worker.ts';
import type { RouterChannel } from './router-channel.ts';

/**
 * Lets a server of this process (net, tls, http, https, http2; of Fastify `app.server`) answer connections that a
 * router has accepted. The server need not listen; one that does not emits `listening` once all the
 * same, since that is when its timeouts begin. The process lives as long as its router does, and ends with it.
 *
 * @throws TypeError or RangeError for a server that is none, wrong options, or a process that no router has started
 * @example
 * attachWorker(http.createServer((request, response) => response.end('hello')));
 */
export function attachWorker(server: AttachableServer, options: AttachOptions = {}): WorkerHandle {
  const resolved: ResolvedAttachOptions = resolveAttachOptions(server, options);
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot attach worker: a process with a channel to its router expected, got none',
    );
  }
  return new AttachedWorker(server, { ...resolved, channel: process as RouterChannel });
}
