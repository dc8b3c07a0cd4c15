import type { IncomingMessage } from 'node:http';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { isBehindLast } from './connection-notes.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { Server } = process.getBuiltinModule('node:http');

/** Events of an HTTP server that begin with a request. */
const REQUEST_EVENTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
  'connect',
]);

export type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/**
 * Calls `intercept` before the listeners of a server get a request, and not the listeners when it returns `true`. A
 * listener instead would change what the server does: one of `upgrade` takes all upgrades. Nobody gets a request behind
 * the last one that its connection answers. Returns the former `emit`.
 */
export function interceptRequests(
  server: AttachableServer,
  intercept: (event: string | symbol, values: readonly unknown[]) => boolean,
): Emit {
  const former = server.emit as Emit;
  const emit: Emit = (event, ...values) => former.call(server, event, ...values);
  server.emit = (event: string | symbol, ...values: unknown[]) =>
    (REQUEST_EVENTS.has(event) &&
      (isBehindLast(values[0] as IncomingMessage) || intercept(event, values))) ||
    former.call(server, event, ...values);
  return emit;
}

/**
 * Starts the timeouts of an HTTP server that does not listen, and its count of idle connections. The platform begins them in
 * a listener of `listening`, an event that is not true here: other listeners would ask for an address that there is not.
 */
export function beginTimeouts(server: AttachableServer): void {
  const own = new Server().listeners('listening');
  for (const listener of server.listeners('listening')) {
    if (own.includes(listener)) listener.call(server);
  }
}
