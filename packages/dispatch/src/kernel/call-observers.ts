import { AsyncResource } from 'node:async_hooks';
import type { Call } from './call.ts';
import { runChannel } from './channels.ts';

/** Tells subscribers that a call begins. */
export function traceCall(name: string, call: Call): void {
  if (!runChannel.hasSubscribers) return;
  call.trace = { name, task: call.task, id: call.id };
  runChannel.start.publish(call.trace);
  runChannel.end.publish(call.trace);
}

/** Tells subscribers how a call ended. */
export function traceSettled(call: Call, isFailure: boolean, value: unknown): void {
  const { trace } = call;
  if (trace === undefined) return;
  if (isFailure) {
    trace.error = value;
    runChannel.error.publish(trace);
  } else trace.result = value;
  runChannel.asyncStart.publish(trace);
  runChannel.asyncEnd.publish(trace);
}

/** The caller's callback, in the caller's AsyncLocalStorage wherever it is called from. */
export function inCallersContext(onProgress: (data: unknown) => void): (data: unknown) => void {
  return AsyncResource.bind(onProgress);
}
