import { canonicalKey } from '@ticketing/batching';
import {
  type CarrierStatus,
  JOURNEY_ORDERS,
  type JourneyOrder,
  type SearchPages,
} from '@ticketing/core';
import type { QuestionKind, TargetContext } from './coalesced.ts';
import { unprovenPage } from './page-tokens.ts';
import { INTEGER_PARAMETERS, SearchParameters } from './search-parameters.ts';
import { type DocumentQuestion, knownStations, readSearchQuestion } from './search-query.ts';
import type { Searches } from './searches.ts';

/** The result of a search, serialised once for all clients. Plain data: it may come from another process. */
export interface SearchDocument {
  /** Without its pages: the process that answers a client seals them. */
  readonly body: Uint8Array;
  readonly pages?: SearchPages;
  readonly carriers: readonly CarrierStatus[];
  readonly ms: number;
}

/** A search as one document. Streams are shared by `shared-streams.ts`. */
export const documentQuestion: QuestionKind<
  DocumentQuestion,
  SearchDocument,
  { readonly search: Pick<Searches, 'document'> }
> = {
  name: 'search',
  keyOf: documentKey,
  keyOfTarget: documentKeyOfTarget,
  local: ({ search }) => search.document,
};

/** Returns the same text for equal searches. */
export function documentKey({ query, order, carriers = [] }: DocumentQuestion): string {
  const { origin, destination, via, passengers = 1, ...rest } = query;
  // `2` and a list of two adults are equal. The list becomes a number: a number from another process may be too large for a list.
  const isCount =
    Array.isArray(passengers) && passengers.every((one) => Object.keys(Object(one)).length === 0);
  const people = isCount ? passengers.length : passengers;
  return canonicalKey(origin.id, destination.id, via?.id, people, rest, order, ...carriers);
}

const NAMES: ReadonlySet<string> = new Set(Object.keys(SearchParameters.properties));

function documentKeyOfTarget(target: string, asked: TargetContext): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const entries = [...new URLSearchParams(target.slice('/search?'.length))];
  const parameters = Object.fromEntries(entries);
  if (Object.keys(parameters).length < entries.length) return undefined;
  if (!Object.keys(parameters).every((name) => NAMES.has(name))) return undefined;
  const { origin, destination, order = 'departure' } = parameters;
  if (origin === undefined || destination === undefined) return undefined;
  if (!JOURNEY_ORDERS.includes(order as JourneyOrder)) return undefined;
  const values = entries.map(([name, text]) => [
    name,
    INTEGER_PARAMETERS.has(name) ? Number(text) : text,
  ]);
  try {
    // The process that answers the request looks at the proof of a page.
    const pageTokens = { open: unprovenPage };
    const context = { ...asked, stations: knownStations, pageTokens };
    return documentKey(readSearchQuestion(Object.fromEntries(values), context));
  } catch {
    // The process that answers the request reports what is wrong.
    return undefined;
  }
}
