import type { RouteFunction } from './head.ts';
import type { WorkerSource } from './worker-source.ts';

/** What `createSocketRouter` takes. */
export interface RouterOptions {
  /**
   * `socket` (default): the worker gets the socket and the router leaves the data path; `passthru`: the router stays
   * and proxies each request to a worker's unix socket.
   */
  readonly mode?: 'socket' | 'passthru';
  readonly workers: WorkerSource;
  /** Without one each connection, or each request of mode `passthru`, goes to the least loaded worker. */
  readonly route?: RouteFunction;
  /**
   * What a later request on the same connection gets, in mode `socket`: `connection` (default): the same worker;
   * `forward`: the worker of its own key, to which the first one proxies it; `close`: nothing, as a connection that
   * was routed by a key or to a slot carries one request.
   */
  readonly affinity?: 'connection' | 'forward' | 'close';
  readonly balance?: {
    /**
     * A key leaves its worker while that has more than 8 connections and more than this times the mean: 1 to Infinity,
     * default 1.25.
     */
    readonly loadFactor?: number;
  };
  /** What clients speak: `http` (default), `tls-sni` (the worker's server ends the TLS), or `auto` (either). */
  readonly protocol?: 'http' | 'tls-sni' | 'auto';
  /** Addresses or subnets (`10.0.0.0/8`) whose connections begin with a PROXY header, version 1 or 2. Default false. */
  readonly proxyProtocol?: { readonly trusted: readonly string[] } | false;
  readonly limits?: RouterLimits;
}

/** Bounds of what a router holds. */
export interface RouterLimits {
  /**
   * Longest head, or ClientHello, in bytes: 64 to 65,536, default 16,384. That is Node's own limit too: for longer heads
   * the workers' servers need `maxHeaderSize`.
   */
  readonly headBytes?: number;
  /** Longest time for a head, and again for a worker to take the connection, in milliseconds: default 10,000. */
  readonly headTimeoutMs?: number;
  /** Connections that are in the router's hand: default 10,000. */
  readonly pending?: number;
  /** Connections that wait for one worker, and as many a worker of those that any may have: default 1,000. */
  readonly queuePerWorker?: number;
  /**
   * How long a connection may wait in the queue of workers that take connections, in milliseconds: 1 or more, default
   * 2,000. Answered with 503 and `Retry-After` are those that come while the first of the queue has waited for half of
   * it, at once, and those that have waited for all of it when their turn comes. The wait begins when a worker is ready,
   * and again when a connection goes to another worker. In mode `socket`; in `passthru` requests wait in their worker,
   * which can refuse them by `arrivedAt`.
   */
  readonly maxWaitMs?: number;
  /** How long a worker may leave a connection untaken before it goes to another: default 1,000. */
  readonly claimTimeoutMs?: number;
  /**
   * How long a worker may take nothing, after it has left a connection untaken for `claimTimeoutMs`, before its source
   * replaces it, in milliseconds: 1 or more, default 10,000. It may be stopped, or busy, or out of descriptors, after
   * which Node gives it no socket ever again. What it is answering has some time to finish: see the source.
   */
  readonly stuckTimeoutMs?: number;
}
