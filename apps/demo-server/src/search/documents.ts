import { canonicalKey } from '@ticketing/batching';
import { stationTable } from '@ticketing/carriers';
import {
  type CarrierStatus,
  JOURNEY_ORDERS,
  type JourneyOrder,
  type Search,
  type SearchQuery,
} from '@ticketing/core';
import type { Find, QuestionKind } from './coalesced.ts';
import { readSearchQuery } from './search-query.ts';
import type { SearchParameters } from './search-schema.ts';

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

/** A search as one document. Streams are not shared: each client has its own. */
export const documentQuestion: QuestionKind<
  DocumentQuestion,
  SearchDocument,
  { readonly search: Search }
> = {
  name: 'search',
  keyOf: documentKey,
  keyOfTarget: searchKey,
  local: ({ search }) => localDocuments(search),
};

/** Asks all carriers from this process. */
function localDocuments(search: Search): Find<DocumentQuestion, SearchDocument> {
  return async ({ query, order }, { signal, deadlineMs }) => {
    const result = await search.search(query, { order, signal, deadlineMs });
    const { carriers, ms } = result;
    return { body: Buffer.from(JSON.stringify(result)), carriers, ms };
  };
}

/** Equal for questions that are the same. */
function documentKey({ query, order }: DocumentQuestion): string {
  const { origin, destination, date, passengers = 1 } = query;
  return canonicalKey(origin.id, destination.id, date, passengers, order);
}

const NAMES: ReadonlySet<string> = new Set<keyof SearchParameters>([
  'origin',
  'destination',
  'date',
  'passengers',
  'order',
]);

/** The key by which a search is coalesced; none for what is no search, or a wrong one. `nowMs`: epoch ms. */
export function searchKey(target: string, nowMs: number): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const given = [...new URLSearchParams(target.slice('/search?'.length))];
  const parameters = Object.fromEntries(given);
  if (Object.keys(parameters).length < given.length) return undefined;
  if (!Object.keys(parameters).every((name) => NAMES.has(name))) return undefined;
  const { origin, destination, passengers, order = 'departure', ...date } = parameters;
  if (origin === undefined || destination === undefined) return undefined;
  if (!JOURNEY_ORDERS.includes(order as JourneyOrder)) return undefined;
  const count = passengers === undefined ? {} : { passengers: Number(passengers) };
  try {
    const wanted = { origin, destination, ...date, ...count };
    const query = readSearchQuery(wanted, stationTable, nowMs);
    return documentKey({ query, order: order as JourneyOrder });
  } catch {
    // The process that gets it says what is wrong.
    return undefined;
  }
}
