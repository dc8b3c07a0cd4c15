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
  // 'close' comes once, and it may have come while the hooks before the handler ran.
  if (raw.destroyed || raw.socket?.destroyed) leave();
  else raw.once('close', leave);
  return controller.signal;
}
