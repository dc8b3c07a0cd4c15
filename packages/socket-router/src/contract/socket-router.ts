import type { AddressInfo, ListenOptions } from 'node:net';

/** Accepts connections and gives them to workers. */
export interface SocketRouter extends AsyncDisposable {
  /**
   * Listens; connections wait until a worker is ready. Once in a router's life.
   *
   * @throws RouterError `ERR_STATE`, or the platform's error, such as `EADDRINUSE`
   */
  listen(options: ListenOptions): Promise<AddressInfo>;
  /**
   * Stops listening, gives what has arrived to workers, and lets them finish what they answer. What is left after
   * `graceMs` milliseconds (default 10,000) is cut off. Then the source's processes end. A second call joins the first.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
  stats(): RouterStats;
  on<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this;
  off<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this;
}

/** What a router tells, by name of the event; each is published on `ticketing:socket-router:<event>` as well. */
export interface RouterEvents {
  /** A connection, or a request in mode `passthru`, was answered by the router itself; status 0 is a mere close. */
  refused: { readonly status: number; readonly reason: string };
  /** Connections that a worker had not taken are given to others. */
  rerouted: {
    readonly slot: string;
    readonly reason: 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';
    readonly connections: number;
  };
  /** A worker has not taken a connection within `claimTimeoutMs`; it gets none until it answers again. */
  'worker-stuck': { readonly slot: string; readonly pid: number | undefined };
  /** A worker has taken nothing for `stuckTimeoutMs`: its source has been asked to replace it. */
  'worker-replaced': { readonly slot: string; readonly pid: number | undefined };
  /** A worker's process or its channel has ended. */
  'worker-down': { readonly slot: string; readonly pid: number | undefined };
  /** A worker takes connections: at its start, and when it answers again after it was stuck. */
  'worker-ready': { readonly slot: string; readonly pid: number | undefined };
}

/** A router's counters and gauges. */
export interface RouterStats {
  readonly state: 'idle' | 'listening' | 'draining' | 'closed';
  /** Connections accepted. */
  readonly accepted: number;
  /** Connections whose head is being read. */
  readonly reading: number;
  /** Connections that wait for any worker, or for one that is not ready. */
  readonly waiting: number;
  /** Connections that workers took; in mode `passthru` requests that were proxied. */
  readonly handedOver: number;
  /** Clients that left before a worker took them. */
  readonly gone: number;
  readonly refused: number;
  readonly rerouted: number;
  readonly workers: readonly WorkerStats[];
}

/** One worker, as a router sees it. */
export interface WorkerStats {
  readonly slot: string;
  readonly pid: number | undefined;
  readonly state: 'starting' | 'ready' | 'stuck' | 'retired' | 'down';
  /** Connections that wait for it, including the one being handed over. */
  readonly queued: number;
  /** Connections that are open in it, as it last told; in mode `passthru` requests that it is answering. */
  readonly open: number;
  readonly handedOver: number;
}
