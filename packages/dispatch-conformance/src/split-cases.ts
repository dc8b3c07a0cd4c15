import type { ConformanceCase } from './conformance-case.ts';

/** Cases in two parts, each in the order of the suite. */
export interface SplitCases {
  readonly chosen: readonly ConformanceCase[];
  readonly others: readonly ConformanceCase[];
}

/**
 * Splits cases: chosen are those whose names begin with one of the texts. For a transport whose whole suite takes too long
 * to be run after each change.
 *
 * @throws RangeError for a text with which no name begins
 * @example
 * const { chosen, others } = splitCases(conformanceCases(subject), ['start:', 'loss:']);
 */
export function splitCases(
  cases: readonly ConformanceCase[],
  beginnings: readonly string[],
): SplitCases {
  for (const text of beginnings) {
    if (cases.some(({ name }) => name.startsWith(text))) continue;
    throw new RangeError(`Cannot split cases: the beginning of a case expected, got ${text}`);
  }
  const isChosen = ({ name }: ConformanceCase) => beginnings.some((text) => name.startsWith(text));
  return {
    chosen: cases.filter(isChosen),
    others: cases.filter((each) => !isChosen(each)),
  };
}
