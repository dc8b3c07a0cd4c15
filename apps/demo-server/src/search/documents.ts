import { canonicalKey } from '@ticketing/batching';
import { JOURNEY_ORDERS, type JourneyOrder } from '@ticketing/core';
import type { QuestionKind, TargetContext } from './coalesced.ts';
import { INTEGER_PARAMETERS, SearchParameters } from './query/search-parameters.ts';
import { type DocumentQuestion, readSearchQuestion } from './query/search-query.ts';
import { servedStations } from './query/station-texts.ts';
import type { SearchDocument, Searches } from './searches.ts';

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

/** Longest value of a parameter that is a word or a number. */
const MOST_OF_OTHERS = 20;

/** Longest value of each parameter. */
const LONGEST: ReadonlyMap<string, number> = new Map(
  Object.entries<object>(SearchParameters.properties).map(([name, schema]) => [
    name,
    'maxLength' in schema ? Number(schema.maxLength) : MOST_OF_OTHERS,
  ]),
);

function documentKeyOfTarget(target: string, asked: TargetContext): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const query = target.slice('/search?'.length);
  if (hasMoreThan(LONGEST.size, query)) return undefined;
  const entries = [...new URLSearchParams(query)];
  const isKnown = ([name, text]: readonly [string, string]): boolean =>
    text.length <= (LONGEST.get(name) ?? -1);
  if (!entries.every(isKnown)) return undefined;
  const parameters = Object.fromEntries(entries);
  if (Object.keys(parameters).length < entries.length) return undefined;
  const { origin, destination, order = 'departure' } = parameters;
  if (origin === undefined || destination === undefined) return undefined;
  if (!JOURNEY_ORDERS.includes(order as JourneyOrder)) return undefined;
  const values = entries.map(([name, text]) => [
    name,
    INTEGER_PARAMETERS.has(name) ? Number(text) : text,
  ]);
  try {
    // Any other text has no key: a router does not open the book for it.
    const context = { ...asked, stations: servedStations };
    return documentKey(readSearchQuestion(Object.fromEntries(values), context));
  } catch {
    // The process that answers the request reports what is wrong.
    return undefined;
  }
}

/** Whether a query has more pairs than that, however long they are. */
function hasMoreThan(most: number, query: string): boolean {
  let at = -1;
  for (let pairs = 1; pairs <= most; pairs++) {
    at = query.indexOf('&', at + 1);
    if (at < 0) return false;
  }
  return true;
}
