import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel';
import type { TraceChannel } from '@ticketing/kit';
import type { InCaller } from '../traces.ts';

/** One stream, as subscribers of `tracing:ticketing:batching:stream:*` see it. The events are the same as of a load. */
export interface StreamTrace {
  readonly name: string;
  readonly key: unknown;
  /** Unique among all processes. */
  readonly streamId: string;
  /** A call that found nothing to join, or a call above a bound. */
  readonly cause: 'call' | 'overflow';
  readonly inCaller: InCaller;
  /** Items that came; set when the stream has ended. */
  items?: number;
  error?: unknown;
}

export const streamChannel: TraceChannel<StreamTrace> = tracingChannel('ticketing:batching:stream');
/** A stream has ended: `{ name, key, ms, items, error? }`. */
export const streamEndChannel: Channel = channel('ticketing:batching:stream');
/** A call joined a stream in flight: `{ name, key, streamId, readers }`. Published for streams that started after the subscription. */
export const streamJoinChannel: Channel = channel('ticketing:batching:stream-join');
/** A call was above a bound: `{ name, key, code }`. */
export const streamOverflowChannel: Channel = channel('ticketing:batching:stream-overflow');
