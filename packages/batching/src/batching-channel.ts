import { channel } from 'node:diagnostics_channel';
import type { EventChannel } from '@ticketing/kit';
import type { BatchingMessages } from './batching-messages.ts';

/** Returns a channel of this package, which publishes messages of its type alone. */
export function batchingChannel<Name extends keyof BatchingMessages>(
  name: Name,
): EventChannel<BatchingMessages[Name]> {
  return channel(name);
}
