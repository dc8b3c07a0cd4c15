import { AsyncResource } from 'node:async_hooks';
import { type EventChannel, type TraceChannel, traceChannel } from '@ticketing/kit';
import { batchingChannel } from './batching-channel.ts';
import type {
  BatchTrace,
  HitMessage,
  InCaller,
  JoinMessage,
  LoadTrace,
  OverflowMessage,
} from './batching-messages.ts';

export const loadChannel: TraceChannel<LoadTrace> = traceChannel('ticketing:batching:load');
export const batchChannel: TraceChannel<BatchTrace> = traceChannel('ticketing:batching:batch');
export const joinChannel: EventChannel<JoinMessage> = batchingChannel('ticketing:batching:join');
export const hitChannel: EventChannel<HitMessage> = batchingChannel('ticketing:batching:hit');
export const overflowChannel: EventChannel<OverflowMessage> = batchingChannel(
  'ticketing:batching:overflow',
);

/** Returns a function that runs others in the current async context. */
export function inThisContext(): InCaller {
  const caller = new AsyncResource('ticketing.caller');
  return (run) => caller.runInAsyncScope(run);
}

/** Publishes the end of what was traced. */
export function publishEnd<T extends { error?: unknown }>(
  traced: TraceChannel<T>,
  message: T,
): void {
  if ('error' in message) traced.error.publish(message);
  traced.asyncStart.publish(message);
  traced.asyncEnd.publish(message);
}
