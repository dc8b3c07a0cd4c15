import {
  facetsOf,
  filterJourneys,
  type JourneyPair,
  type RoundTripResult,
  type SearchResult,
} from '@ticketing/core';
import type { PageTokens } from '../page-tokens.ts';
import type { RoundTripAnswer, SearchAnswer } from '../search-answer.ts';
import type { SearchView } from '../search-view.ts';

/** Returns both ways with the filter and the facets that a client wants; pairs of journeys that it does not see are left out. */
export function viewRoundTrip(
  { outbound, inbound, pairs, ...rest }: RoundTripResult,
  view: SearchView,
  tokens: Pick<PageTokens, 'sealAll'>,
): RoundTripAnswer {
  const [out, back] = [outbound, inbound].map((way) => viewOf(way, view, tokens)) as [
    SearchAnswer,
    SearchAnswer,
  ];
  const [outIds, backIds] = [out, back].map(
    ({ journeys }) => new Set(journeys.map(({ id }) => id)),
  ) as [Set<string>, Set<string>];
  const isSeen = (pair: JourneyPair): boolean =>
    outIds.has(pair.outbound) && backIds.has(pair.inbound);
  return { outbound: out, inbound: back, ...(pairs && { pairs: pairs.filter(isSeen) }), ...rest };
}

function viewOf(
  { pages, ...result }: SearchResult,
  { filter, facets }: SearchView,
  { sealAll }: Pick<PageTokens, 'sealAll'>,
): SearchAnswer {
  const { journeys } = result;
  return {
    ...result,
    journeys: filter === undefined ? journeys : filterJourneys(journeys, filter),
    ...(pages && { pages: sealAll(pages) }),
    ...(facets && { facets: facetsOf(journeys) }),
  };
}
