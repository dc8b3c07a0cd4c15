import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock, TraceChannel } from '@ticketing/kit';
import type { RunMessage } from '../../contract/dispatch-messages.ts';
import { dispatchChannel } from '../../dispatch-channel.ts';
import type { Ending } from './counts.ts';

/** Call whose trace is published. */
interface TracedCall {
  readonly asked: { readonly trace: RunMessage | undefined; readonly enqueuedAt: number };
  readonly attempt: number;
  readonly sentAt: number;
  readonly worker: { readonly workerId: number } | undefined;
}

const runChannel: TraceChannel<RunMessage> = tracingChannel('ticketing:dispatch:run');

const retryChannel = dispatchChannel('ticketing:dispatch:retry');

/** Publishes the start of a call. @returns its trace; undefined without subscribers */
export function traceCall(name: string, task: string, id: number): RunMessage | undefined {
  if (!runChannel.hasSubscribers) return undefined;
  const trace: RunMessage = { name, task, id, metadata: {} };
  runChannel.start.publish(trace);
  runChannel.end.publish(trace);
  return trace;
}

/** Notes the milliseconds that a traced call has run. */
export function traceRun({ asked: { trace } }: TracedCall, runMs: number): void {
  if (trace !== undefined) trace.runMs = runMs;
}

/** Publishes the loss of a traced call's worker, before the next attempt. */
export function traceRetry(
  { asked, attempt, sentAt }: TracedCall,
  workerId: number,
  now: number,
): void {
  const { trace: run, enqueuedAt } = asked;
  if (run === undefined || !retryChannel.hasSubscribers) return;
  const times = { waitMs: sentAt - enqueuedAt, heldMs: now - sentAt };
  retryChannel.publish({ run, attempt, workerId, ...times });
}

/** Publishes the end of a call. The clock is read only for a traced call. */
export function traceSettled(
  call: TracedCall,
  ending: Ending,
  value: unknown,
  clock: Pick<Clock, 'now'>,
): void {
  const { worker, sentAt } = call;
  const { trace, enqueuedAt } = call.asked;
  if (trace === undefined) return;
  trace.outcome = ending;
  trace.attempt = call.attempt;
  trace.workerId = worker?.workerId;
  trace.waitMs = (worker === undefined ? clock.now() : sentAt) - enqueuedAt;
  if (ending !== 'completed') {
    trace.error = value;
    runChannel.error.publish(trace);
  } else trace.result = value;
  runChannel.asyncStart.publish(trace);
  runChannel.asyncEnd.publish(trace);
}
