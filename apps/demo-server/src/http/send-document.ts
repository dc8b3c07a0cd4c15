import type { SharedBodies } from '@ticketing/batching/http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Bytes that several clients may get. */
export interface EncodableDocument {
  readonly body: Uint8Array;
}

/** Sends a document in the encoding that the client prefers. */
export async function sendDocument(
  {
    request,
    reply,
    encoder,
  }: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly encoder: SharedBodies;
  },
  document: EncodableDocument,
): Promise<FastifyReply> {
  const { headers, body } = await encoder.answer(request, {
    body: document.body,
    headers: reply.getHeaders(),
  });
  return reply.headers(headers).send(body);
}

/** Returns the counters of bodies that were sent compressed. */
export function encodingStats(encoder: Pick<SharedBodies, 'stats'>) {
  const { encoded, compressed, bytesIn, bytesOut } = encoder.stats();
  return { asked: encoded, compressed, bytesIn, bytesOut };
}
