import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { Clock, TraceChannel } from '@ticketing/kit';
import type { Ending } from './counts.ts';

/** One call, as subscribers of `tracing:ticketing:dispatch:run:*` see it: the same object in every event. */
export interface RunTrace {
  readonly name: string;
  readonly task: string;
  readonly id: number;
  /** Empty at `start`, where subscribers may add texts: the task gets them, below the caller's own `metadata`. */
  readonly metadata: Record<string, string>;
  result?: unknown;
  error?: unknown;
  /** Outcome of the call, as `stats()` counts it. */
  outcome?: Ending;
  /** Number of its last attempt, from 1, once it has settled. */
  attempt?: number;
  /** Worker that had it last; undefined if it settled while it waited. */
  workerId?: number | undefined;
  /** Milliseconds from the call until it was last given to a worker, or until it settled if none had it. */
  waitMs?: number;
  /** Milliseconds in the worker; undefined without an answer. */
  runMs?: number;
}

/** Call of which traces tell. */
interface TracedCall {
  readonly asked: { readonly trace: RunTrace | undefined; readonly enqueuedAt: number };
  readonly attempt: number;
  readonly sentAt: number;
  readonly worker: { readonly workerId: number } | undefined;
}

/** `start` and `end` around the call; `error` if it failed, then `asyncStart` and `asyncEnd`, when it has settled. */
const runChannel: TraceChannel<RunTrace> = tracingChannel('ticketing:dispatch:run');

/** `{ run, attempt, workerId, waitMs, heldMs }` of an attempt whose worker was lost, when the call waits for the next one. */
const retryChannel = channel('ticketing:dispatch:retry');

/** Publishes the start of a call. @returns its trace; undefined without subscribers */
export function traceCall(name: string, task: string, id: number): RunTrace | undefined {
  if (!runChannel.hasSubscribers) return undefined;
  const trace: RunTrace = { name, task, id, metadata: {} };
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
