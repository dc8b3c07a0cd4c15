import type { Http2ServerResponse } from 'node:http2';
import type { FastifyReply } from 'fastify';
import { callError } from '../errors.ts';

/** A signal that aborts if the client leaves before its answer has been written. */
export function clientSignal(reply: FastifyReply, name: string): AbortSignal {
  const { raw } = reply;
  const controller = new AbortController();
  const leave = (): void => {
    if (raw.writableEnded) return;
    const failure = { expected: 'a client that waits', got: 'none' };
    controller.abort(callError(name, 'ERR_ABORTED', failure));
  };
  // 'close' comes once, and it may have come while the hooks before the handler ran. A session outlives its streams.
  const { stream = raw } = raw as { readonly stream?: Http2ServerResponse['stream'] };
  if (stream.destroyed || raw.socket?.destroyed) leave();
  else raw.once('close', leave);
  return controller.signal;
}
