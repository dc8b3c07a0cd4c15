import type { RouteFunction } from './head.ts';

/** What `attachWorker` takes beside the server. */
export interface AttachOptions {
  /** The router's own function, needed with `affinity: 'forward'`: the worker decides later requests by it. */
  readonly route?: RouteFunction;
  /**
   * What the process does when its router's process has died: `exit` (default), after at most `orphanGraceMs` for
   * open connections, or `stay`.
   */
  readonly orphan?: 'exit' | 'stay';
  /** Milliseconds: default 5,000. */
  readonly orphanGraceMs?: number;
}

/** A server that gets its connections from routers. */
export interface WorkerHandle extends AsyncDisposable {
  /** Connections that came from routers and are open. */
  readonly connections: number;
  /** Aborts when the worker begins to drain: time to say goodbye on connections that last, such as WebSockets. */
  readonly draining: AbortSignal;
  /**
   * Takes no more connections, lets those that are open finish, and cuts off after `graceMs` milliseconds (default
   * 10,000). The process may then exit without a client losing anything. A second call joins the first.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
