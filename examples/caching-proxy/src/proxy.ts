import { type Clock, canonicalKey, createCoalescer } from '@ticketing/batching';
import { coalesceRoutes } from '@ticketing/batching/fastify';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { addCatalogue } from './catalogue.ts';
import type { Upstream } from './upstream.ts';

export interface ProxyOptions {
  readonly upstream: Upstream;
  /** The tier of the customer whose token it is; undefined for an unknown token. */
  readonly tierOf: (token: string) => string | undefined;
  readonly loadTimeoutMs?: number;
  readonly maxKeys?: number;
  readonly clock?: Clock;
}

interface Question {
  readonly product: string;
  readonly tier: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    tier: string;
  }
}

type PriceRoute = { Params: { product: string } };

const questionOf = ({ params, tier }: FastifyRequest<PriceRoute>): Question => ({
  product: params.product,
  tier,
});
const keyOf = ({ product, tier }: Question) => canonicalKey(product, tier);

export async function createProxy(options: ProxyOptions): Promise<FastifyInstance> {
  const { upstream, tierOf, loadTimeoutMs = 10_000, maxKeys = 1000, clock } = options;
  const prices = createCoalescer(
    ({ product, tier }: Question, { signal }) => upstream.price(product, tier, signal),
    {
      name: 'prices',
      key: keyOf,
      ttlMs: 5000,
      // For a minute more the old price answers at once, while one call fetches the new one.
      staleMs: 60_000,
      // A failure, 404 included, answers for a second: a broken API is not asked by every request.
      errorTtlMs: 1000,
      loadTimeoutMs,
      maxKeys,
      clock,
    },
  );
  const app = fastify();
  app.decorateRequest('tier', '');
  // Hooks run for each request, before anything is shared.
  app.addHook('onRequest', async (request, reply) => {
    const tier = tierOf(request.headers.authorization ?? '');
    if (tier === undefined) return reply.code(401).send({ error: 'Unknown token' });
    request.tier = tier;
  });
  await app.register(coalesceRoutes, { loadTimeoutMs });
  app.addHook('onClose', () => prices.close());
  addCatalogue(app, { upstream, loadTimeoutMs, clock });

  // `key` says what equal requests are; `shareCredentials`, that no other part of the token changes the answer.
  const byTier = {
    key: (request: FastifyRequest<PriceRoute>) => keyOf(questionOf(request)),
    shareCredentials: true,
  };
  app.get<PriceRoute>('/prices/:product', { config: { coalesce: byTier } }, (request) =>
    prices.get(questionOf(request), { signal: request.coalesced.signal }),
  );
  // By default a user's answer is that user's alone: only equal credentials share it.
  app.get('/me', { config: { coalesce: true } }, (request) =>
    upstream.me(request.headers.authorization ?? '', request.coalesced.signal),
  );
  return app;
}
