import { channel } from 'node:diagnostics_channel';
import type { EventChannel } from '@ticketing/kit';
import type { DispatchWrappersMessages } from './dispatch-wrappers-messages.ts';

/** Returns a channel of this package, which publishes messages of its type alone. */
export function wrappersChannel<Name extends keyof DispatchWrappersMessages>(
  name: Name,
): EventChannel<DispatchWrappersMessages[Name]> {
  return channel(name);
}
