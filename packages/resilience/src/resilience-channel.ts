import { channel } from 'node:diagnostics_channel';
import type { EventChannel } from '@ticketing/kit';
import type { ResilienceMessages } from './resilience-messages.ts';

/** Returns a channel of this package, which publishes messages of its type alone. */
export function resilienceChannel<Name extends keyof ResilienceMessages>(
  name: Name,
): EventChannel<ResilienceMessages[Name]> {
  return channel(name);
}
