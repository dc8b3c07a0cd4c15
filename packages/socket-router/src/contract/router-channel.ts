import { channel } from 'node:diagnostics_channel';
import type { EventChannel } from '@ticketing/kit';
import type { SocketRouterMessages } from './socket-router-messages.ts';

/** Returns a channel of this package, which publishes messages of its type alone. */
export function routerChannel<Name extends keyof SocketRouterMessages>(
  name: Name,
): EventChannel<SocketRouterMessages[Name]> {
  return channel(name);
}
