import { badParameter } from '../problem/problem.ts';
import type { SearchParameters } from './search-parameters.ts';
import type { DocumentQuestion } from './search-query.ts';

/** A way out, and when the way back begins. */
export interface RoundTripAsked {
  readonly question: DocumentQuestion;
  readonly returnDate: string;
  readonly returnTime?: string;
}

/**
 * Returns the round trip that parameters are, `undefined` if they are one way alone.
 *
 * @throws ProblemError for a time of a way back without its day, and for a page of one way
 */
export function readRoundTrip(
  question: DocumentQuestion,
  { returnDate, returnTime, page }: Pick<SearchParameters, 'returnDate' | 'returnTime' | 'page'>,
): RoundTripAsked | undefined {
  if (returnDate === undefined) {
    if (returnTime === undefined) return undefined;
    throw badParameter('returnDate', 'given with returnTime', returnDate);
  }
  if (page !== undefined) throw badParameter('page', 'absent beside returnDate', page);
  return { question, returnDate, ...(returnTime !== undefined && { returnTime }) };
}
