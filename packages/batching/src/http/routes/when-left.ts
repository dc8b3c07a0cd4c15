import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';

/** Request of `node:http` or `node:http2`, and so of Express, Nest and Koa (`context.req`). */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** Response of `node:http` or `node:http2`, and so of Express, Nest and Koa (`context.res`). */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/** Members of a response and of its stream, which is of HTTP/2 alone. */
interface Watched {
  readonly stream?: { readonly destroyed: boolean } | undefined;
  readonly req?: { readonly socket?: Socket | null | undefined } | undefined;
}

/** Returns whether the client has left before the response was ended. */
export function hasLeft(response: HttpResponse): boolean {
  if (response.writableEnded) return false;
  const { stream = response, req } = response as Watched & HttpResponse;
  if (stream.destroyed) return true;
  // A session of HTTP/2 outlives its streams, and has no socket once it has ended.
  const socket = response.socket ?? req?.socket;
  return socket?.destroyed ?? false;
}

/** Callbacks of the responses that have no socket yet, by the connection that they will have. */
const sentAhead = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once if the client leaves before the response has been ended, at once if it has left. Leaves no listener behind.
 *
 * The response to a request that was sent ahead has no socket yet, and may not close with its connection
 * (docs/discoveries/an-answer-that-never-closes.md). So the connection is watched too.
 */
export function whenLeft(response: HttpResponse, onLeave: () => void): void {
  if (hasLeft(response)) {
    onLeave();
    return;
  }
  const { socket } = response;
  const connection = socket ? undefined : (response as Watched).req?.socket;
  const close = (): void => {
    response.off('close', close);
    if (connection) sentAhead.get(connection)?.delete(close);
    if (!response.writableEnded) onLeave();
  };
  response.on('close', close);
  if (connection) callbacksOf(connection).add(close);
}

function callbacksOf(connection: Socket): Set<() => void> {
  const known = sentAhead.get(connection);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  sentAhead.set(connection, callbacks);
  connection.once('close', () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
}
