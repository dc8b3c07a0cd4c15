import { channel } from 'node:diagnostics_channel';
import type { EventChannel } from '@ticketing/kit';
import type { DispatchMessages } from './contract/dispatch-messages.ts';

/** Returns a channel of this package, which publishes messages of its type alone. */
export function dispatchChannel<Name extends keyof DispatchMessages>(
  name: Name,
): EventChannel<DispatchMessages[Name]> {
  return channel(name);
}
