import { AsyncResource } from 'node:async_hooks';
import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel';
import type { TraceChannel } from '@ticketing/kit';

/** Runs a function in the async context of the first caller: that of the loader is another one. */
export type InCaller = <R>(run: () => R) => R;

/**
 * One load, as subscribers of `tracing:ticketing:batching:load:*` see it. `start` and `end` are published around the
 * loader's first synchronous steps, in the loader's context; `error` if it failed, then `asyncStart` and `asyncEnd`,
 * when it has settled.
 */
export interface LoadTrace {
  readonly name: string;
  readonly key: unknown;
  /** Unique among all processes. */
  readonly loadId: string;
  /** A call that found nothing to join, a stale result, or a call above a bound. */
  readonly cause: 'call' | 'renewal' | 'overflow';
  readonly inCaller: InCaller;
  /** Callers that wait now. */
  waiters: number;
  error?: unknown;
}

/** One batch, as subscribers of `tracing:ticketing:batching:batch:*` see it. The events are the same as of a load. */
export interface BatchTrace {
  readonly name: string;
  /** Different keys. */
  readonly keys: number;
  readonly batchId: string;
  readonly inCaller: InCaller;
  /** Keys that failed; set when the batch has settled. */
  failed?: number;
  error?: unknown;
}

export const loadChannel: TraceChannel<LoadTrace> = tracingChannel('ticketing:batching:load');
export const batchChannel: TraceChannel<BatchTrace> = tracingChannel('ticketing:batching:batch');
/** A call joined a load in flight: `{ name, key, loadId, waiters }`. Published for loads that started after the subscription. */
export const joinChannel: Channel = channel('ticketing:batching:join');
/** A kept result answered a call: `{ name, key, kind }`. */
export const hitChannel: Channel = channel('ticketing:batching:hit');
/** A call was above a bound: `{ name, key, code }`. */
export const overflowChannel: Channel = channel('ticketing:batching:overflow');

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
