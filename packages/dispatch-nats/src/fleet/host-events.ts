import { channel } from 'node:diagnostics_channel';
import type { NatsHostEvent } from '../contract/host-event.ts';

const hostChannel = channel('ticketing:dispatch-nats:host');

/** Publishes an event of a host or a connection. */
export function publishHostEvent(event: NatsHostEvent): void {
  if (hostChannel.hasSubscribers) hostChannel.publish(event);
}
