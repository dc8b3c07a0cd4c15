import type { IncomingMessage } from 'node:http';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { isBehindLast } from './connection-notes.ts';

/** Events of an HTTP server whose first value is a request. */
const REQUEST_EVENTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
  'connect',
]);

/** Emits an event of a server. */
export type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/**
 * Calls `intercept` before the listeners of a server get a request, and not the listeners when it returns `true`. A
 * listener instead would change what the server does: one of `upgrade` takes all upgrades. No listener gets a request behind
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
