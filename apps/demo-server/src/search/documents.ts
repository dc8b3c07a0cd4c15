import { canonicalKey } from '@ticketing/batching';
import { stationTable } from '@ticketing/carriers';
import {
  type CarrierStatus,
  JOURNEY_ORDERS,
  type JourneyOrder,
  type Search,
  type SearchQuery,
} from '@ticketing/core';
import type { QuestionKind } from './coalesced.ts';
import { readSearchQuery, type SearchParameters } from './search-query.ts';

/** The result of a search as a client gets it, serialised once. Plain data: it may come from another process. */
export interface SearchDocument {
  readonly body: Uint8Array;
  readonly carriers: readonly CarrierStatus[];
  readonly ms: number;
}

/** A search and how its journeys are sorted. */
export interface DocumentQuestion {
  readonly query: SearchQuery;
  readonly order: JourneyOrder;
}

/** A search as one document. Streams are shared by `shared-streams.ts`. */
export const documentQuestion: QuestionKind<
  DocumentQuestion,
  SearchDocument,
  { readonly search: Search }
> = {
  name: 'search',
  keyOf: documentKey,
  keyOfTarget: documentKeyOfTarget,
  local:
    ({ search }) =>
    async ({ query, order }, { signal, deadlineMs }) => {
      const result = await search.search(query, { order, signal, deadlineMs });
      const { carriers, ms } = result;
      return { body: Buffer.from(JSON.stringify(result)), carriers, ms };
    },
};

/** Returns the same text for equal searches. */
export function documentKey({ query, order }: DocumentQuestion): string {
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

function documentKeyOfTarget(target: string, nowMs: number): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const entries = [...new URLSearchParams(target.slice('/search?'.length))];
  const parameters = Object.fromEntries(entries);
  if (Object.keys(parameters).length < entries.length) return undefined;
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
    // The process that answers the request reports what is wrong.
    return undefined;
  }
}
