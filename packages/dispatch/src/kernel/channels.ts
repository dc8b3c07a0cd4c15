import {
  type Channel,
  channel,
  type TracingChannel,
  tracingChannel,
} from 'node:diagnostics_channel';

/** One call, as subscribers of `tracing:ticketing:dispatch:run:*` see it. */
export interface RunTrace {
  readonly name: string;
  readonly task: string;
  readonly id: number;
  result?: unknown;
  error?: unknown;
}

/** `start` and `end` around the call, `asyncStart` and `asyncEnd` when it has settled, `error` before if it failed. */
export const runChannel: TracingChannel<unknown, RunTrace> =
  tracingChannel('ticketing:dispatch:run');

/** `{ name, workerId, pid }` of a worker that takes tasks. */
export const workerReadyChannel: Channel = channel('ticketing:dispatch:worker-ready');

/** `{ name, workerId, pid, exitCode, signal }` of a worker that ended. */
export const workerExitChannel: Channel = channel('ticketing:dispatch:worker-exit');

/** `{ name, task, expectedWaitMs, retryAfterMs }` of a call that was refused because it would wait for too long. */
export const overloadedChannel: Channel = channel('ticketing:dispatch:overloaded');

/** `{ name, error }` when too many workers failed. */
export const circuitOpenChannel: Channel = channel('ticketing:dispatch:circuit-open');
