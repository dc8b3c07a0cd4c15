import { type Clock, createCoalescer } from '@ticketing/batching';
import { createSharedBodies } from '@ticketing/batching/http';
import type { FastifyInstance } from 'fastify';
import type { Upstream } from './upstream.ts';

interface CatalogueOptions {
  readonly upstream: Pick<Upstream, 'catalogue'>;
  readonly loadTimeoutMs: number;
  readonly clock: Clock | undefined;
}

/** Adds a public, long text: loaded once for all who ask, and compressed once for each coding. */
export function addCatalogue(
  app: FastifyInstance,
  { upstream, loadTimeoutMs, clock }: CatalogueOptions,
): void {
  const catalogues = createCoalescer(
    async (_name: 'all', { signal }) => Buffer.from(await upstream.catalogue(signal)),
    { name: 'catalogue', ttlMs: 60_000, loadTimeoutMs, clock },
  );
  const bodies = createSharedBodies();
  app.addHook('onClose', () => catalogues.close());
  app.get('/catalogue', async (request, reply) => {
    reply.type('application/json; charset=utf-8').header('cache-control', 'private, no-cache');
    const answer = await bodies.answer(request, {
      body: await catalogues.get('all'),
      headers: reply.getHeaders(),
    });
    return reply.code(answer.status).headers(answer.headers).send(answer.body);
  });
}
