import { canonicalKey } from '@ticketing/batching';
import { JOURNEY_ORDERS, type JourneyOrder } from '@ticketing/core';
import { INTEGER_PARAMETERS, SearchParameters } from './search-parameters.ts';
import { type DocumentQuestion, type ReadContext, readSearchQuestion } from './search-query.ts';
import { servedStations } from './station-texts.ts';

const FRESH = 'fresh ';

/** Returns the same text for equal searches. One that asks anew shares nothing with one that does not. */
export function documentKey({ fresh, ...question }: DocumentQuestion): string {
  const key = keyOf(question);
  return fresh ? `${FRESH}${key}` : key;
}

/**
 * Returns the key by which the process of a question is chosen: a question that is asked anew goes where it is asked without that, so
 * that the new answers are kept there.
 */
export function placeKey(documentKey: string): string {
  return documentKey.startsWith(FRESH) ? documentKey.slice(FRESH.length) : documentKey;
}

function keyOf({ query, order, hubs, carriers = [] }: Omit<DocumentQuestion, 'fresh'>): string {
  const { origin, destination, via, passengers = 1, ...rest } = query;
  // `2` and a list of two adults are equal. The list becomes a number: a number from another process may be too large for a list.
  const isCount =
    Array.isArray(passengers) && passengers.every((one) => Object.keys(Object(one)).length === 0);
  const people = isCount ? passengers.length : passengers;
  const split = hubs?.map(({ at, minMinutes, maxMinutes }) => [at.id, minMinutes, maxMinutes]);
  const fields = split === undefined ? rest : { ...rest, split };
  return canonicalKey(origin.id, destination.id, via?.id, people, fields, order, ...carriers);
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

/** Returns the key by which the process of a request's target is chosen; `undefined` for any other target, and for one that {@link quickQuestion} does not read. */
export function documentKeyOfTarget(
  target: string,
  context: Omit<ReadContext, 'stations'>,
): string | undefined {
  if (!target.startsWith('/search?')) return undefined;
  const query = target.slice('/search?'.length);
  if (hasMoreThan(LONGEST.size, query)) return undefined;
  const entries = [...new URLSearchParams(query)];
  const parameters = Object.fromEntries(entries);
  if (Object.keys(parameters).length < entries.length) return undefined;
  const question = quickQuestion(parameters, context);
  return question && placeKey(documentKey(question));
}

/**
 * Reads parameters as a target has them, before anything has checked them; `undefined` if one is wrong, or takes the book of all stations to
 * be opened. It takes no time that grows with a power of their length, and looks for no near names.
 */
export function quickQuestion(
  parameters: Readonly<Record<string, unknown>>,
  context: Omit<ReadContext, 'stations'>,
): DocumentQuestion | undefined {
  const entries = Object.entries(parameters);
  const isKnown = ([name, text]: readonly [string, unknown]): boolean =>
    typeof text === 'string' && text.length <= (LONGEST.get(name) ?? -1);
  if (!entries.every(isKnown)) return undefined;
  const { origin, destination, order = 'departure' } = parameters;
  if (origin === undefined || destination === undefined) return undefined;
  // Both ways of a round trip are two searches, which share what carriers answer.
  if (parameters['returnDate'] !== undefined || parameters['returnTime'] !== undefined)
    return undefined;
  if (!JOURNEY_ORDERS.includes(order as JourneyOrder)) return undefined;
  const values = entries.map(([name, text]) => [
    name,
    INTEGER_PARAMETERS.has(name) ? Number(text) : text,
  ]);
  try {
    return readSearchQuestion(Object.fromEntries(values), { ...context, stations: servedStations });
  } catch {
    // The process that answers the request reports what is wrong.
    return undefined;
  }
}

/** True if a query has more than `most` pairs, however long they are. */
function hasMoreThan(most: number, query: string): boolean {
  let at = -1;
  for (let pairs = 1; pairs <= most; pairs++) {
    at = query.indexOf('&', at + 1);
    if (at < 0) return false;
  }
  return true;
}
