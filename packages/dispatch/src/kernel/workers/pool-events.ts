import {
  type Channel,
  channel,
  type TracingChannel,
  tracingChannel,
} from 'node:diagnostics_channel';
import type { WorkerEnd } from '../../contract/transport.ts';
import type { PoolWorker } from '../calls/call.ts';

/** A worker, as observers know it. */
export interface ObservedWorker {
  readonly workerId: number;
  /** From 0. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** What it last told of its other work. */
  readonly report: unknown;
}

type Worker = Pick<PoolWorker, 'workerId' | 'slot' | 'handle' | 'report'>;

/** Told what becomes of workers, after the kernel has seen to it. */
export interface PoolObserver {
  ready(worker: ObservedWorker): void;
  exit(worker: ObservedWorker, end: WorkerEnd): void;
  /** Too many workers failed, the last one with this. */
  circuitOpen(error: unknown): void;
}

/** Tells what becomes of workers: to the diagnostics channels, and to the observer if there is one. */
export class PoolEvents {
  observer: PoolObserver | undefined;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  ready(worker: Worker): void {
    const { workerId, slot, handle, report } = worker;
    const pid = handle?.pid;
    if (workerReadyChannel.hasSubscribers) {
      workerReadyChannel.publish({ name: this.#name, workerId, pid });
    }
    this.observer?.ready({ workerId, slot, pid, report });
  }

  exit(worker: Worker, end: WorkerEnd): void {
    const { workerId, slot, handle, report } = worker;
    const pid = handle?.pid;
    const { exitCode, signal } = end;
    if (workerExitChannel.hasSubscribers) {
      workerExitChannel.publish({ name: this.#name, workerId, pid, exitCode, signal });
    }
    this.observer?.exit({ workerId, slot, pid, report }, end);
  }

  circuitOpen(error: unknown): void {
    if (circuitOpenChannel.hasSubscribers) circuitOpenChannel.publish({ name: this.#name, error });
    this.observer?.circuitOpen(error);
  }
}

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
const workerReadyChannel: Channel = channel('ticketing:dispatch:worker-ready');

/** `{ name, workerId, pid, exitCode, signal }` of a worker that ended. */
const workerExitChannel: Channel = channel('ticketing:dispatch:worker-exit');

/** `{ name, task, expectedWaitMs, retryAfterMs }` of a call that was refused because it would wait for too long. */
export const overloadedChannel: Channel = channel('ticketing:dispatch:overloaded');

/** `{ name, error }` when too many workers failed. */
const circuitOpenChannel: Channel = channel('ticketing:dispatch:circuit-open');
