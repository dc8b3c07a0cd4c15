import type { HttpServer } from './worker-options.ts';

/** Worker of a cluster, as its own process sees it. */
export interface ClusterWorker {
  /** Number from 1, unique within the cluster. */
  readonly workerId: number;
  /** Slot of the worker, from 0 and below the number of workers. Its successor after a reload or a crash takes it over. */
  readonly slot: number;
  /** Returns true while the worker ends, for a health check by which load balancers stop sending requests. */
  isDraining(): boolean;
  /** Resolves with the server when it is made, for code that hands sockets to it; with `undefined` without one. */
  readonly server: Promise<HttpServer | undefined>;
  /** True if the process serves alone, by option `standalone`. */
  readonly isStandalone: boolean;
  /**
   * Ends the server after its requests, and resolves when it is closed. The process stays if it serves alone, for instance in a
   * test; in a cluster a successor replaces it, as after SIGTERM. Idempotent.
   */
  close(): Promise<void>;
}
