import type { FromWorker } from '../contract/frames.ts';
import type { WorkerEnd } from '../contract/transport.ts';
import type { PoolWorker } from './pool-worker.ts';

/** What the pool tells the kernel. */
export interface PoolListener {
  frames(worker: PoolWorker, frames: readonly FromWorker[]): void;
  /** A worker takes tasks. */
  ready(worker: PoolWorker): void;
  /** A worker has a successor: it gets no more tasks, and stops after those it has. */
  retire(worker: PoolWorker): void;
  /** A worker ended, and with it what it had. */
  gone(worker: PoolWorker, end: WorkerEnd): void;
  /** A worker ended while the circuit is open: none follows at once. */
  noSuccessor(error: unknown): void;
  /** Whether calls wait for the worker of a place alone; without a place, for any worker. */
  wants(slot?: number): boolean;
}
