import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel';
import type { TraceChannel } from '@ticketing/kit';
import { publishEnd } from '../traces.ts';

/**
 * One call of a shared loader, as subscribers of `tracing:ticketing:batching:shared:*` see it: `start` and `end` around its first
 * steps, `error` if it failed, then `asyncStart` and `asyncEnd`, when it has its answer.
 */
export interface SharedTrace {
  readonly name: string;
  readonly key: unknown;
  /** Source of the answer, as `stats()` counts it; undefined for a call that ended without one. */
  outcome?: 'led' | 'local' | 'kept' | 'followed';
  /** Load for all processes that it led or waited for: the same text in each process. */
  load?: string;
  error?: unknown;
}

const sharedChannel: TraceChannel<SharedTrace> = tracingChannel('ticketing:batching:shared');
/** A load for all processes begins: `{ name, load, isRenewal, call }`; `call`: the traced call that leads, if one does. */
const leadChannel: Channel = channel('ticketing:batching:shared-lead');
/** A traced call waits for the load of another caller: `{ name, load, call }`. */
const joinChannel: Channel = channel('ticketing:batching:shared-join');

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
