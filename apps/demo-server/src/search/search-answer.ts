// Browsers read these types, too.
import type {
  JourneyFacets,
  RoundTripResult,
  SearchEvent,
  SearchPages,
  SearchResult,
  SplitResult,
} from '@ticketing/core';

/** Pages beside an answer, sealed: for parameter `page`. */
export type SealedPages = { readonly [Direction in keyof SearchPages]: string };

interface AnswerParts {
  readonly pages?: SealedPages;
  /** Facets of all journeys, before the filter. */
  readonly facets?: JourneyFacets;
}
type Done = Extract<SearchEvent, { readonly type: 'search-done' }>;

/** A search as one client gets it. */
export type SearchAnswer = Omit<SearchResult, 'pages'> &
  Partial<Pick<SplitResult, 'hubs'>> &
  AnswerParts;

/** Both ways of a round trip as one client gets them. */
export interface RoundTripAnswer extends Omit<RoundTripResult, 'outbound' | 'inbound'> {
  readonly outbound: SearchAnswer;
  readonly inbound: SearchAnswer;
}

/** Reason why a stream ends before its search is done, in the form of RFC 9457. */
export interface StreamProblem {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

/** An event of a stream as one client gets it. */
export type SearchAnswerEvent =
  | Exclude<SearchEvent, Done>
  | (Omit<Done, 'pages'> & AnswerParts)
  | { readonly type: 'search-failed'; readonly problem: StreamProblem };
