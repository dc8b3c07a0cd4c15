import type { FastifyReply } from 'fastify';
import { ProblemError } from './problem.ts';

/** A signal that aborts when the client has left, or has its answer. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort(new ProblemError(499, { detail: 'The client left' })));
  return gone.signal;
}
