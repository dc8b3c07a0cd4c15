import { createSharedBodies } from '@ticketing/batching/http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Counters of the bodies of this process. */
interface EncodingStats {
  /** Compressed bodies that were sent. */
  readonly asked: number;
  /** Compressions: one for each body and encoding. */
  readonly compressed: number;
  /** Bytes of the bodies before and after their compression. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Sends bodies that several clients may get. */
export interface BodySender {
  /** Sends a body in the encoding that the client prefers. It is compressed once for all who get it, so it must not be changed. */
  send(
    exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    body: Uint8Array,
  ): Promise<FastifyReply>;
  stats(): EncodingStats;
}

/** Creates the sender of a process. */
export function createBodySender(): BodySender {
  // Of codings that a client likes as much, the one that it names first; `@fastify/etag` tags what is sent.
  const bodies = createSharedBodies({
    encodings: ['br', 'gzip'],
    preference: 'client',
    etag: false,
  });
  return {
    async send({ request, reply }, body) {
      const answer = await bodies.answer(request, { body, headers: reply.getHeaders() });
      return reply.headers(answer.headers).send(answer.body);
    },
    stats() {
      const { encoded, compressed, bytesIn, bytesOut } = bodies.stats();
      return { asked: encoded, compressed, bytesIn, bytesOut };
    },
  };
}
