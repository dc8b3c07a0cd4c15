import type { Server } from 'node:net';
import type { LeaveOptions } from './leave-options.ts';

/** Server of the platform: net, tls, http, https, http2. They differ in how they can end. */
export type AttachableServer = Server & {
  readonly allowHalfOpen?: boolean;
  /** Method of the servers of http and https. */
  closeIdleConnections?(): void;
};

/** Counters of an attached worker. */
export interface WorkerHandleStats {
  /** Connections that came from routers and are open. */
  readonly connections: number;
  /** Connections that the worker has claimed. */
  readonly claimed: number;
  /** HTTP requests that the server got, including forwarded ones. */
  readonly requests: number;
  /** Requests that went to the worker of their key, with `laterRequests: 'forward'`. */
  readonly forwarded: number;
}

/** A server that gets its connections from routers. */
export interface WorkerHandle extends AsyncDisposable {
  /** Connections that came from routers and are open. */
  readonly connections: number;
  /** Returns counters since the worker was attached. */
  stats(): WorkerHandleStats;
  /** Aborts when the worker begins to drain: time to end connections that last, such as WebSockets. */
  readonly draining: AbortSignal;
  /**
   * Claims no more connections, and lets the open ones finish. The process may then exit without a client losing
   * anything. A second call joins the first.
   */
  close(options?: LeaveOptions): Promise<void>;
}
