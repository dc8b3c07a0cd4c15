import type { WorkerEnd } from '../../contract/transport.ts';
import { dispatchChannel } from '../../dispatch-channel.ts';
import type { PoolWorker } from './call.ts';

const workerReadyChannel = dispatchChannel('ticketing:dispatch:worker-ready');
const workerExitChannel = dispatchChannel('ticketing:dispatch:worker-exit');
const circuitOpenChannel = dispatchChannel('ticketing:dispatch:circuit-open');

/** A worker, as observers see it. */
export interface ObservedWorker {
  readonly workerId: number;
  /** Number of the worker's slot, from 0. */
  readonly slot: number;
  readonly pid: number | undefined;
  /** Latest report of other work. */
  readonly report: unknown;
}

/** Receives events of workers, after the kernel has handled them. */
export interface PoolObserver {
  ready(worker: ObservedWorker): void;
  exit(worker: ObservedWorker, end: WorkerEnd): void;
  /** Too many workers failed; `error` is the last one's. */
  circuitOpen(error: unknown): void;
}

type Worker = Pick<PoolWorker, 'workerId' | 'slot' | 'handle' | 'reports'>;

/** Publishes events of workers to the diagnostics channels, and to the observer if there is one. */
export class PoolEvents {
  observer: PoolObserver | undefined;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  ready({ workerId, slot, handle, reports }: Worker): void {
    const pid = handle?.pid;
    if (workerReadyChannel.hasSubscribers) {
      workerReadyChannel.publish({ name: this.#name, workerId, pid });
    }
    this.observer?.ready({ workerId, slot, pid, report: reports.report });
  }

  exit({ workerId, slot, handle, reports }: Worker, end: WorkerEnd): void {
    const pid = handle?.pid;
    const { exitCode, signal } = end;
    if (workerExitChannel.hasSubscribers) {
      workerExitChannel.publish({ name: this.#name, workerId, pid, exitCode, signal });
    }
    this.observer?.exit({ workerId, slot, pid, report: reports.report }, end);
  }

  circuitOpen(error: unknown): void {
    if (circuitOpenChannel.hasSubscribers) circuitOpenChannel.publish({ name: this.#name, error });
    this.observer?.circuitOpen(error);
  }
}
