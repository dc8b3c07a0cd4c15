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

/** A process that can be handed sockets. */
export interface RouterWorker {
  /** Stable: the process that replaces this one has the same slot. Keys belong to slots. */
  readonly slot: string;
  readonly pid: number | undefined;
  readonly channel: WorkerChannel;
  /** `false`: the worker's program has attached no server, so that it would never claim a connection. */
  readonly attached?: boolean | undefined;
  /** File for bytes that a router has read and that are too long for a message; without it they are a part of the message. */
  readonly sharedFile?: SharedFile | undefined;
}

/** A file in memory that this process and one worker have open. */
export interface SharedFile {
  /** Descriptor of the file in the worker. */
  readonly workerFd: number;
  /** Reserves an area that no other caller gets, and returns where it begins. */
  reserve(bytes: number): number;
  /** Writes bytes into an area of the caller's. Returns false if they cannot be written: there is no memory, or the worker has ended. */
  write(bytes: Uint8Array, at: number): boolean;
}

/** Starts a router's workers; a supervisor of processes can be one. */
export interface WorkerSource {
  /**
   * Slots in which the source keeps a worker. Without this list the router knows a slot once a worker of it has run; no two
   * sources of a router may have the same slot.
   */
  readonly slots?: readonly string[] | undefined;
  /** Way in which the workers of a supervisor get connections. A router refuses a supervisor whose workers listen themselves, `shared`. */
  readonly connections?: 'shared' | 'external' | undefined;
  /** Calls the listener for each worker that runs and for each that starts later. Returns a function that ends that. */
  subscribe(listener: (worker: RouterWorker) => void): () => void;
  /**
   * Resolves when the source has started all its workers; rejects with an error of code `ERR_CIRCUIT_OPEN`, and the reason as its
   * `cause`, while they fail to start. For a source without `slots`.
   */
  ready?(): Promise<void>;
  /** Emits `circuit-open` when too many workers failed, the last one with `error`: from then until one serves, none is expected. */
  readonly events?:
    | {
        on(event: 'circuit-open', listener: (data: CircuitOpen) => void): unknown;
        off(event: 'circuit-open', listener: (data: CircuitOpen) => void): unknown;
      }
    | undefined;
  /**
   * Ends a worker's process and starts another one in its slot. Called when a worker has got SIGTERM, and when it has claimed
   * nothing for `limits.stuckTimeoutMs`: it may have run out of descriptors while a socket was on its way, and never claim one
   * again. SIGTERM by this method has the worker finish its connections and end.
   */
  replace?(worker: RouterWorker): void;
  /** Replaces all workers, without a failed request. Called on SIGHUP with the router's option `signals`. */
  reload?(): Promise<void>;
  /** Called by the router's `close()`, after the drain: ends the processes that the source has started. */
  close?(options: { readonly graceMs: number }): Promise<void>;
}

/** The data of a source's event `circuit-open`. */
interface CircuitOpen {
  readonly error: unknown;
}
