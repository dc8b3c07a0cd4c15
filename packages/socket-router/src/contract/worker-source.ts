import type { Socket } from 'node:net';

/** The part of a `ChildProcess`, or of a `cluster.Worker`, that a router needs. */
export interface WorkerChannel {
  send(
    message: object,
    handle: Socket | undefined,
    options: { readonly keepOpen?: boolean },
    callback: (error: Error | null) => void,
  ): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect' | 'exit' | 'close', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'disconnect' | 'exit' | 'close', listener: () => void): unknown;
}

/** A process that may be given sockets. */
export interface RouterWorker {
  /** Stable: the process that replaces this one has the same. Keys belong to slots. */
  readonly slot: string;
  readonly pid: number | undefined;
  readonly channel: WorkerChannel;
}

/** Where a router's workers come from; a supervisor of processes can be one. */
export interface WorkerSource {
  /** Calls the listener for each worker that runs and for each that is started later. Returns what ends that. */
  subscribe(listener: (worker: RouterWorker) => void): () => void;
  /**
   * Called when a worker has taken nothing for `limits.stuckTimeoutMs`, which some never do again: one that ran out of
   * descriptors while a socket was on its way to it. Ends its process, and starts another one in its slot.
   */
  replace?(worker: RouterWorker): void;
  /** Called by the router's `close()`, after the drain: ends the processes that the source has started. */
  close?(options: { readonly graceMs: number }): Promise<void>;
}
