import {
  type AppliedRates,
  facetsOf,
  filterJourneys,
  type Journey,
  type JourneyFilter,
  type Money,
  parseMoney,
  type RateSource,
  type SearchEvent,
  type SearchResult,
} from '@ticketing/core';
import { badParameter } from '../problem/problem.ts';
import { mapItems } from './map-items.ts';
import type { PageTokens } from './page-tokens.ts';
import type { SearchAnswer, SearchAnswerEvent } from './search-answer.ts';
import type { SearchDocument } from './search-document.ts';
import { isSet, type SearchParameters } from './search-parameters.ts';
import { currencyOf } from './search-query.ts';

/** View of one client of a search that others may share: its filter, and whether it wants facets. */
export interface SearchView {
  /** Absent: all journeys. */
  readonly filter?: JourneyFilter;
  readonly facets: boolean;
}

/** Reads which journeys a client wants to see; by `rates` a highest price is one of every currency. @throws ProblemError */
export function readSearchView(
  parameters: Partial<SearchParameters>,
  rates?: RateSource,
): SearchView {
  const { maxPrice, direct, flexible, facets } = parameters;
  const filter: JourneyFilter = {
    ...(maxPrice !== undefined && { maxPrice: readPrice(maxPrice, currencyOf(parameters)), rates }),
    ...timeOf('departAfter', parameters),
    ...timeOf('departBefore', parameters),
    ...timeOf('arriveBefore', parameters),
    ...(isSet(direct) && { direct: true }),
    ...(isSet(flexible) && { flexible: true }),
  };
  return { ...(Object.keys(filter).length > 0 && { filter }), facets: isSet(facets) };
}

function timeOf(
  name: 'departAfter' | 'departBefore' | 'arriveBefore',
  { [name]: text }: Partial<SearchParameters>,
): JourneyFilter {
  if (text === undefined) return {};
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)) {
    throw badParameter(name, 'a time of day as HH:MM', text);
  }
  return { [name]: text };
}

function readPrice(text: string, usual = 'EUR'): Money {
  const [, amount = '', currency = usual] =
    /^(\d{1,9}(?:\.\d+)?)(?: ?([A-Z]{3}))?$/.exec(text) ?? [];
  try {
    return parseMoney(amount, { currency });
  } catch {
    throw badParameter('maxPrice', 'an amount such as 49.90 or 45 CHF', text);
  }
}

const bodies = new WeakMap<SearchDocument, Uint8Array>();

/** Returns the bytes that a client gets of a document. Those without a filter and facets are made once for all clients. */
export function viewDocument(
  document: SearchDocument,
  { filter, facets }: SearchView,
  { sealAll }: Pick<PageTokens, 'sealAll'>,
): Uint8Array {
  const { body, pages } = document;
  if (filter === undefined && !facets) {
    if (pages === undefined) return body;
    const known = bodies.get(document);
    if (known !== undefined) return known;
    // The document is an object: the pages go before its last brace.
    const rest = Buffer.from(`,"pages":${JSON.stringify(sealAll(pages))}}`);
    const made = Buffer.concat([body.subarray(0, -1), rest]);
    bodies.set(document, made);
    return made;
  }
  const result: Omit<SearchResult, 'pages'> = JSON.parse(Buffer.from(body).toString());
  const answer: SearchAnswer = {
    ...result,
    journeys: filtered(result.journeys, filter, result.rates),
    ...(pages && { pages: sealAll(pages) }),
    ...(facets && { facets: facetsOf(result.journeys) }),
  };
  return Buffer.from(JSON.stringify(answer));
}

/** Filters by rates only where the search converted by rates: none that are too old, and none that this process alone has. */
function filtered(
  journeys: readonly Journey[],
  filter: JourneyFilter | undefined,
  applied: AppliedRates | undefined,
): readonly Journey[] {
  if (filter === undefined) return journeys;
  const isConverted = applied !== undefined && applied.unused === undefined;
  const { rates, ...rest } = filter;
  return filterJourneys(journeys, isConverted ? { ...rest, rates } : rest);
}

/** Returns the events that a client gets of a search. Leaving them leaves the search. */
export function viewEvents(
  events: AsyncIterableIterator<SearchEvent>,
  view: SearchView,
  tokens: Pick<PageTokens, 'sealAll'>,
): AsyncIterableIterator<SearchAnswerEvent, undefined> {
  return mapItems(events, eventViewer(view, tokens));
}

/** Last events as clients without a filter and facets get them, made once for all. */
const lastEvents = new WeakMap<SearchEvent, SearchAnswerEvent>();

function eventViewer(
  { filter, facets }: SearchView,
  { sealAll }: Pick<PageTokens, 'sealAll'>,
): (event: SearchEvent) => SearchAnswerEvent {
  const all = new Map<string, Journey>();
  const shown = new Set<string>();
  let applied: AppliedRates | undefined;
  return (event) => {
    if (event.type === 'search-started') applied = event.rates;
    if (event.type === 'search-done') {
      const isPlain = filter === undefined && !facets;
      const known = isPlain ? lastEvents.get(event) : undefined;
      if (known !== undefined) return known;
      const { pages, ...rest } = event;
      const last: SearchAnswerEvent = {
        ...rest,
        found: filter === undefined ? event.found : shown.size,
        ...(pages && { pages: sealAll(pages) }),
        ...(facets && { facets: facetsOf([...all.values()]) }),
      };
      if (isPlain) lastEvents.set(event, last);
      return last;
    }
    if (event.type !== 'journeys-upsert') return event;
    if (facets) {
      for (const id of event.removed) all.delete(id);
      for (const journey of event.journeys) all.set(journey.id, journey);
    }
    if (filter === undefined) return event;
    const journeys = filtered(event.journeys, filter, applied);
    const kept = new Set(journeys.map(({ id }) => id));
    // A journey that is another one now may no longer pass.
    const gone = [...event.removed, ...event.journeys.map(({ id }) => id)].filter(
      (id) => !kept.has(id) && shown.delete(id),
    );
    for (const id of kept) shown.add(id);
    return { ...event, journeys, removed: gone };
  };
}

const texts = new WeakMap<SearchAnswerEvent | SearchEvent, string>();

/** Returns an event as JSON, made once for all clients that follow a search. An event never changes. */
export function textOf(event: SearchAnswerEvent | SearchEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  texts.set(event, text);
  return text;
}

/** Returns the event that another process wrote as JSON. Those bytes are what `textOf` returns for it. */
export function eventOf(bytes: Buffer): SearchEvent {
  const text = bytes.toString();
  const event = JSON.parse(text) as SearchEvent;
  texts.set(event, text);
  return event;
}
