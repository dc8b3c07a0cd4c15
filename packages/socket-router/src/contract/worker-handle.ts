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
   * Takes no more connections, and lets those that are open finish. The process may then exit without a client losing
   * anything. A second call joins the first.
   */
  close(options?: LeaveOptions): Promise<void>;
}

/** How a worker leaves. */
export interface LeaveOptions {
  /** Milliseconds until what is left is cut off: default 10,000. */
  readonly graceMs?: number;
  /**
   * Milliseconds that a connection which is idle may ask once more, and is told that it was the last time: default 100, half
   * of `graceMs` at most. A client that asks later than that, at the moment in which the connection is closed, loses that
   * request: give it as long as your clients pause between two.
   */
  readonly lameDuckMs?: number;
}
