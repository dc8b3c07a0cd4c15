import { badParameter } from '../../problem/problem.ts';
import { isSet, type SearchParameters } from '../search-parameters.ts';
import type { DocumentQuestion } from '../search-query.ts';

/** A way out, and when the way back begins. */
export interface RoundTripAsked {
  readonly question: DocumentQuestion;
  readonly returnDate: string;
  readonly returnTime?: string;
}

/**
 * Returns the round trip that parameters are, `undefined` if they are one way alone.
 *
 * @throws ProblemError for a time of a way back without its day, for a page of one way, and for journeys of two tickets
 */
export function readRoundTrip(
  question: DocumentQuestion,
  {
    returnDate,
    returnTime,
    page,
    split,
  }: Pick<SearchParameters, 'returnDate' | 'returnTime' | 'page' | 'split'>,
): RoundTripAsked | undefined {
  if (returnDate === undefined) {
    if (returnTime === undefined) return undefined;
    throw badParameter('returnDate', 'given with returnTime', returnDate);
  }
  if (isSet(split)) throw badParameter('split', 'absent beside returnDate', split);
  if (page !== undefined) throw badParameter('page', 'absent beside returnDate', page);
  return { question, returnDate, ...(returnTime !== undefined && { returnTime }) };
}
