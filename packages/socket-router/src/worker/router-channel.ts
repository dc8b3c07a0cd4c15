import type { WorkerMessage } from '../wire/messages.ts';
import { tagged } from '../wire/messages.ts';

/** The part of a worker's `process` that leads to its routers. */
export interface RouterChannel {
  readonly connected: boolean;
  send?(message: unknown, handle: undefined, options: object, callback: () => void): boolean;
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
  off(event: 'disconnect', listener: () => void): unknown;
}

/** Sends, and tells whether there is still a channel; one that breaks later is told by its `disconnect`. */
export function tellRouter(
  channel: RouterChannel,
  router: string,
  message: WorkerMessage,
): boolean {
  if (!channel.connected || channel.send === undefined) return false;
  channel.send(tagged(router, message), undefined, {}, () => {});
  return true;
}
