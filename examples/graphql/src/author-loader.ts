import { createBatcher, createCoalescer } from '@ticketing/batching';
import type { Library } from './library.ts';

/** Loads authors for all requests of this process: one per program, not one per request. */
export function createAuthorLoader(library: Library) {
  // Different authors that are asked for in one tick become one query.
  const batch = createBatcher(
    async (ids: readonly number[], { signal }) => {
      const authors = await library.authors(ids, signal);
      return new Map(authors.map((author) => [author.id, author]));
    },
    { name: 'authors by id', maxBatchSize: 500, missing: 'undefined' },
  );
  // An author that is being loaded, or was within the last second, is not asked for again, whoever asks.
  return createCoalescer((id: number, { signal }) => batch.load(id, { signal }), {
    name: 'authors',
    // Resolvers of many requests get one object: who changes it would change the answers of all others.
    share: 'freeze',
    ttlMs: 1000,
    maxEntries: 50_000,
    loadTimeoutMs: 5000,
  });
}

export type AuthorLoader = ReturnType<typeof createAuthorLoader>;
