import type { CarrierAnswer, Covered } from '../contract/carrier.ts';
import type { Direction, PageTokens } from '../contract/search-page.ts';
import { type PresentFields, presentFields } from '../model/present-fields.ts';
import type { Place } from '../stations/station-index.ts';

/** Tokens of further pages of a carrier, by direction. */
export type TokensByDirection = BothWays<PageTokens>;

type BothWays<T> = PresentFields<Readonly<Record<Direction, T>>>;

/** Makes a value for each direction, or none. */
export function bothWays<T>(make: (direction: Direction) => T | undefined): BothWays<T> {
  return presentFields({ earlier: make('earlier'), later: make('later') }) as BothWays<T>;
}

/** The answers of one carrier to several pairs of stations, as one. */
export interface JoinedAnswer
  extends Omit<
    CarrierAnswer,
    'pages' | 'places' | 'operators' | 'covers' | 'filtered' | 'leftOut' | 'failure'
  > {
  readonly places: CarrierAnswer['places'] | undefined;
  readonly operators: CarrierAnswer['operators'] | undefined;
  readonly covers: Covered | undefined;
  readonly filtered: number | undefined;
  readonly leftOut: CarrierAnswer['leftOut'] | undefined;
  /** Failure of the first answer that has one. */
  readonly failure: CarrierAnswer['failure'] | undefined;
  readonly pages: TokensByDirection | undefined;
}

/** Joins answers, one for each pair. */
export function joinAnswers(answers: readonly CarrierAnswer[]): JoinedAnswer {
  const places: Place[] = [];
  const covers: Covered[] = [];
  let filtered = 0;
  const leftOut = new Map<string, number>();
  for (const answer of answers) {
    if (answer.places) places.push(...answer.places);
    if (answer.covers) covers.push(answer.covers);
    filtered += answer.filtered ?? 0;
    for (const [reason, count] of Object.entries(answer.leftOut ?? {})) {
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + count);
    }
  }
  return {
    journeys: answers.flatMap(({ journeys }) => journeys),
    places,
    operators: Object.fromEntries(
      answers.flatMap(({ operators = {} }) => Object.entries(operators)),
    ),
    covers: covers.length === 0 ? undefined : overlapOf(covers),
    filtered,
    leftOut: leftOut.size > 0 ? Object.fromEntries(leftOut) : undefined,
    failure: answers.find(({ failure }) => failure)?.failure,
    pages: tokensOf(answers),
  };
}

/** Returns the joined form of a sole answer, which is the usual case. */
export function soleAnswer(answer: CarrierAnswer): JoinedAnswer {
  const { journeys, places, operators, covers, filtered, leftOut, failure, pages } = answer;
  const tokens = pages && tokensOf([answer]);
  return { journeys, places, operators, covers, filtered, leftOut, failure, pages: tokens };
}

function tokensOf(answers: readonly CarrierAnswer[]): TokensByDirection {
  return bothWays((direction) => {
    const tokens = answers.map(({ pages }) => pages?.[direction] ?? null);
    return tokens.some((token) => token !== null) ? tokens : undefined;
  });
}

function overlapOf(covers: readonly Covered[]): Covered {
  const fromMs = Math.max(...covers.map((covered) => covered.fromMs));
  const untilMs = Math.min(...covers.map((covered) => covered.untilMs));
  return { fromMs, untilMs: Math.max(fromMs, untilMs) };
}
