import { type CoalescerStats, canonicalKey, createCoalescer } from '@ticketing/batching';
import type { JourneyOrder, Search, SearchQuery, SearchResult } from '@ticketing/core';

/** How the routes ask for one document; a stream is each client's own. */
export interface DocumentSearch {
  find(query: SearchQuery, options: FindOptions): Promise<SearchResult>;
  /** Asked against loaded; `undefined` when every question is asked for itself. */
  stats(): CoalescerStats | undefined;
}

export interface FindOptions {
  readonly order: JourneyOrder;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** Asks every question for itself. */
export function directSearch(search: Search): DocumentSearch {
  return {
    find: (query, options) => search.search(query, options),
    stats: () => undefined,
  };
}

/** Makes equal questions in flight one search, which goes on until the last of its clients has left. */
export function coalescedSearch(search: Search): DocumentSearch {
  const coalescer = createCoalescer<Question, SearchResult>(
    ({ query, order }, { signal }) => search.search(query, { order, signal }),
    { name: 'search', key: keyOf },
  );
  return {
    find: (query, { order, signal }) => coalescer.get({ query, order }, { signal }),
    stats: () => coalescer.stats(),
  };
}

interface Question {
  readonly query: SearchQuery;
  readonly order: JourneyOrder;
}

function keyOf({ query, order }: Question): string {
  const { origin, destination, date, passengers = 1 } = query;
  return canonicalKey(origin.id, destination.id, date, passengers, order);
}
