import { setImmediate } from 'node:timers';

/** An HTTP/2 session of a server. */
export interface ServerSession {
  readonly closed?: boolean;
  close(): void;
  once(event: 'close' | 'stream', listener: () => void): unknown;
}

/**
 * Closes an HTTP/2 session that begins while its server leaves, after the streams that came with it: `close()` at its begin
 * would refuse them.
 */
export function closeAfterFirstStreams(session: ServerSession): void {
  // All of the bytes that have arrived are read by then.
  session.once('stream', () => setImmediate(() => session.close()));
}
