import { type CoalescerStats, canonicalKey, createCoalescer } from '@ticketing/batching';
import type { CarrierStatus, JourneyOrder, Search, SearchQuery } from '@ticketing/core';

/** One answer as a client gets it, written once. Plain data: it may come from another process. */
export interface SearchDocument {
  readonly body: Uint8Array;
  readonly carriers: readonly CarrierStatus[];
  readonly ms: number;
}

/** What a document answers. */
export interface DocumentQuestion {
  readonly query: SearchQuery;
  readonly order: JourneyOrder;
}

/** How documents are got; a stream is each client's own. `signal` aborts when the client leaves. */
export type FindDocument = (
  question: DocumentQuestion,
  options: { readonly signal: AbortSignal },
) => Promise<SearchDocument>;

/** How the routes ask. */
export interface Documents {
  readonly find: FindDocument;
  /** Asked against loaded; `undefined` when every question is asked for itself. */
  stats(): CoalescerStats | undefined;
}

/** Asks the carriers. */
export function documentsOf(search: Search): FindDocument {
  return async ({ query, order }, { signal }) => {
    const result = await search.search(query, { order, signal });
    const { carriers, ms } = result;
    return { body: Buffer.from(JSON.stringify(result)), carriers, ms };
  };
}

/** Asks every question for itself. */
export function directDocuments(find: FindDocument): Documents {
  return { find, stats: () => undefined };
}

/** Makes equal questions in flight one, which goes on until the last of its clients has left. */
export function coalescedDocuments(find: FindDocument): Documents {
  const coalescer = createCoalescer<DocumentQuestion, SearchDocument>(
    (question, { signal }) => find(question, { signal }),
    { name: 'search', key: documentKey },
  );
  return {
    find: (question, { signal }) => coalescer.get(question, { signal }),
    stats: () => coalescer.stats(),
  };
}

/** Equal for questions that are the same. */
export function documentKey({ query, order }: DocumentQuestion): string {
  const { origin, destination, date, passengers = 1 } = query;
  return canonicalKey(origin.id, destination.id, date, passengers, order);
}
