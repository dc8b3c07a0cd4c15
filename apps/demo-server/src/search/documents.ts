import { canonicalKey } from '@ticketing/batching';
import { stationTable } from '@ticketing/carriers';
import {
  type CarrierStatus,
  JOURNEY_ORDERS,
  type JourneyOrder,
  type Search,
} from '@ticketing/core';
import { CARRIER_NAMES } from './carriers.ts';
import type { QuestionKind } from './coalesced.ts';
import {
  type DocumentQuestion,
  readSearchQuestion,
  type SearchParameters,
} from './search-query.ts';

/** The result of a search as a client gets it, serialised once. Plain data: it may come from another process. */
export interface SearchDocument {
  readonly body: Uint8Array;
  readonly carriers: readonly CarrierStatus[];
  readonly ms: number;
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
    async ({ query, ...asked }, { signal, deadlineMs }) => {
      const result = await search.search(query, { ...asked, signal, deadlineMs });
      const { carriers, ms } = result;
      return { body: Buffer.from(JSON.stringify(result)), carriers, ms };
    },
};

/** Returns the same text for equal searches. */
export function documentKey({ query, order, carriers = [] }: DocumentQuestion): string {
  const { origin, destination, date, passengers = 1 } = query;
  return canonicalKey(origin.id, destination.id, date, passengers, order, ...carriers);
}

const NAMES: ReadonlySet<string> = new Set<keyof SearchParameters>([
  'origin',
  'destination',
  'date',
  'passengers',
  'order',
  'carriers',
]);

function documentKeyOfTarget(target: string, nowMs: number): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const entries = [...new URLSearchParams(target.slice('/search?'.length))];
  const parameters = Object.fromEntries(entries);
  if (Object.keys(parameters).length < entries.length) return undefined;
  if (!Object.keys(parameters).every((name) => NAMES.has(name))) return undefined;
  const { origin, destination, passengers, order = 'departure', ...others } = parameters;
  if (origin === undefined || destination === undefined) return undefined;
  if (!JOURNEY_ORDERS.includes(order as JourneyOrder)) return undefined;
  const count = passengers === undefined ? {} : { passengers: Number(passengers) };
  try {
    const wanted = { origin, destination, order: order as JourneyOrder, ...others, ...count };
    const context = { stations: stationTable, carriers: CARRIER_NAMES, nowMs };
    return documentKey(readSearchQuestion(wanted, context));
  } catch {
    // The process that answers the request reports what is wrong.
    return undefined;
  }
}
