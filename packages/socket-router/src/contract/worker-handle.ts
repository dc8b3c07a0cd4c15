import type { Server } from 'node:net';
import type { LeaveOptions } from '../options/attach-options.ts';

/** Any server of the platform: net, tls, http, https, http2. They differ in what they can do to end. */
export type AttachableServer = Server & {
  readonly allowHalfOpen?: boolean;
  /** Of http and https. */
  closeIdleConnections?(): void;
};

/** A server that gets its connections from routers. */
export interface WorkerHandle extends AsyncDisposable {
  /** Connections that came from routers and are open. */
  readonly connections: number;
  /** Aborts when the worker begins to drain: time to say goodbye on connections that last, such as WebSockets. */
  readonly draining: AbortSignal;
  /**
   * Takes no more connections, and lets the open ones finish. The process may then exit without a client losing
   * anything. A second call joins the first.
   */
  close(options?: LeaveOptions): Promise<void>;
}
