import type { AttachableServer } from '../contract/worker-handle.ts';

/** Events of an HTTP server that begin with a request. */
export const REQUEST_EVENTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
  'connect',
]);

export type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/**
 * Calls `intercept` before the listeners of a server get an event, and not the listeners when it returns `true`. A
 * listener instead would change what the server does: one of `upgrade` takes all upgrades. Returns the former `emit`.
 */
export function interceptEvents(
  server: AttachableServer,
  intercept: (event: string | symbol, values: readonly unknown[]) => boolean,
): Emit {
  const emit = (server.emit as Emit).bind(server);
  server.emit = (event: string | symbol, ...values: unknown[]) =>
    intercept(event, values) || emit(event, ...values);
  return emit;
}
