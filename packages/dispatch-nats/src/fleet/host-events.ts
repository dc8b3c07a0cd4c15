import { channel } from 'node:diagnostics_channel';
import type { EventChannel } from '@ticketing/kit';
import type { DispatchNatsMessages, NatsHostEvent } from '../contract/host-event.ts';

const NAME = 'ticketing:dispatch-nats:host';
const hostChannel: EventChannel<DispatchNatsMessages[typeof NAME]> = channel(NAME);

/** Publishes an event of a host or a connection. */
export function publishHostEvent(event: NatsHostEvent): void {
  if (hostChannel.hasSubscribers) hostChannel.publish(event);
}
