import { type EventChannel, type TraceChannel, traceChannel } from '@ticketing/kit';
import { batchingChannel } from '../batching-channel.ts';
import type {
  StreamJoinMessage,
  StreamMessage,
  StreamOverflowMessage,
  StreamTrace,
} from '../batching-messages.ts';

export const streamChannel: TraceChannel<StreamTrace> = traceChannel('ticketing:batching:stream');
export const streamEndChannel: EventChannel<StreamMessage> = batchingChannel(
  'ticketing:batching:stream',
);
export const streamJoinChannel: EventChannel<StreamJoinMessage> = batchingChannel(
  'ticketing:batching:stream-join',
);
export const streamOverflowChannel: EventChannel<StreamOverflowMessage> = batchingChannel(
  'ticketing:batching:stream-overflow',
);
