import { type EventChannel, type TraceChannel, traceChannel } from '@ticketing/kit';
import { batchingChannel } from '../batching-channel.ts';
import type { SharedJoinMessage, SharedLeadMessage, SharedTrace } from '../batching-messages.ts';
import { publishEnd } from '../traces.ts';

const sharedChannel: TraceChannel<SharedTrace> = traceChannel('ticketing:batching:shared');
const leadChannel: EventChannel<SharedLeadMessage> = batchingChannel(
  'ticketing:batching:shared-lead',
);
const joinChannel: EventChannel<SharedJoinMessage> = batchingChannel(
  'ticketing:batching:shared-join',
);

/** Returns the trace of a call; undefined without subscribers. */
export function traceShared(name: string, key: unknown): SharedTrace | undefined {
  return sharedChannel.hasSubscribers ? { name, key } : undefined;
}

/** Runs a traced call inside the stores that subscribers bind. */
export async function runTraced<V>(trace: SharedTrace, run: () => Promise<V>): Promise<V> {
  let answer: Promise<V>;
  try {
    answer = sharedChannel.start.runStores(trace, run);
  } finally {
    sharedChannel.end.publish(trace);
  }
  try {
    return await answer;
  } catch (error) {
    trace.error = error;
    throw error;
  } finally {
    publishEnd(sharedChannel, trace);
  }
}

/** Notes that a call leads a load. */
export function traceLead(name: string, load: string, call: SharedTrace | undefined): void {
  if (call !== undefined) Object.assign(call, { outcome: 'led', load });
  if (leadChannel.hasSubscribers) leadChannel.publish({ name, load, isRenewal: false, call });
}

/** Notes that a load is renewed in the background. */
export function traceRenewal(name: string, load: string): void {
  if (!leadChannel.hasSubscribers) return;
  leadChannel.publish({ name, load, isRenewal: true, call: undefined });
}

/** Notes that a traced call waits for a load. */
export function traceJoin(call: SharedTrace, load: string): void {
  call.load = load;
  if (joinChannel.hasSubscribers) joinChannel.publish({ name: call.name, load, call });
}
