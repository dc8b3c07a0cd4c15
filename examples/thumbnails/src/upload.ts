import type { FastifyReply, FastifyRequest } from 'fastify';

/** The upload in memory of its own: a Buffer may be part of Node's pool, which cannot be moved. */
export function bytesOf({ body }: FastifyRequest): ArrayBuffer {
  return new Uint8Array(body as Buffer).buffer;
}

/** Customers with a plan go first; a client that leaves aborts its call. */
export function optionsOf({ headers }: FastifyRequest, { raw }: FastifyReply) {
  const leaving = new AbortController();
  raw.once('close', () => leaving.abort());
  return { signal: leaving.signal, priority: headers['x-plan'] === 'pro' ? 10 : 0 };
}
