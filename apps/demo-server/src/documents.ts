import { canonicalKey } from '@ticketing/batching';
import type { CarrierStatus, JourneyOrder, Search, SearchQuery } from '@ticketing/core';
import type { Find } from './coalesced.ts';

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

/** How documents are got; a stream is each client's own. */
export type FindDocument = Find<DocumentQuestion, SearchDocument>;

/** Asks the carriers. */
export function documentsOf(search: Search): FindDocument {
  return async ({ query, order }, { signal, deadlineMs }) => {
    const result = await search.search(query, { order, signal, deadlineMs });
    const { carriers, ms } = result;
    return { body: Buffer.from(JSON.stringify(result)), carriers, ms };
  };
}

/** Equal for questions that are the same. */
export function documentKey({ query, order }: DocumentQuestion): string {
  const { origin, destination, date, passengers = 1 } = query;
  return canonicalKey(origin.id, destination.id, date, passengers, order);
}
