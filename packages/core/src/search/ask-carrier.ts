import type { Carrier, CarrierAnswer } from '../contract/carrier.ts';
import type { CarrierQuery, ResolvedQuery } from '../contract/search-query.ts';
import { CarrierError } from '../errors.ts';
import type { LocalClock, LocalDate } from '../model/local-clock.ts';
import { stateOfCode } from '../scatter/source-status.ts';
import { answeredCarrier, withPassengers } from './answered-carrier.ts';
import { firstDayPart, inDayPart, isAskedByDay } from './day-parts.ts';
import { type JoinedAnswer, joinAnswers, soleAnswer } from './join-answers.ts';
import {
  applyOtherFields,
  type IgnoredField,
  ignoredFields,
  nativeFields,
} from './native-fields.ts';
import { tokensOf } from './pages.ts';
import type { SearchDays } from './resolve-query.ts';
import type { RunCarrier, RunContext } from './search-options.ts';
import { stationPairs } from './station-pairs.ts';

/** Answer of one carrier to a query. */
export interface CarrierFindings extends JoinedAnswer {
  readonly ignored: readonly IgnoredField[] | undefined;
}

/** Settings for asking a carrier. */
export interface CarrierAsk {
  readonly context: RunContext;
  readonly run: RunCarrier;
  readonly clock: LocalClock;
  readonly maxJourneys: number;
  /** The days that searches may ask for. */
  days(): SearchDays;
}

/**
 * Asks one carrier what a query means for it. A group is asked by its own code where the carrier has one, else by up
 * to four pairs of stations at the same time. What the carrier cannot answer itself is left out of its answer
 * here, or named in `ignored`.
 */
export async function askCarrier(
  carrier: Carrier,
  query: ResolvedQuery,
  { context, run, clock, maxJourneys, days }: CarrierAsk,
): Promise<CarrierFindings> {
  const { id, capabilities } = carrier;
  const ignored = ignoredFields(query, capabilities);
  const tokens = tokensOf(query, id);
  // The page before said that there is no more.
  if (tokens === undefined) return { ...soleAnswer({ journeys: [] }), ignored };
  const byDay = isAskedByDay(capabilities, query);
  const asked = (byDay && tokens[0]) || firstDayPart(query);
  const date = asked.slice(0, query.date.length);
  if (byDay && tokens[0]) checkDay(id, date, days());
  const fields = nativeFields(query, capabilities);
  const questions = stationPairs(carrier, query).map(
    ([origin, destination], index): CarrierQuery | undefined => {
      if (byDay) return { ...fields, date, origin, destination };
      const token = tokens[index];
      if (token === null) return undefined;
      const page = query.page && token && { direction: query.page.direction, token };
      return { ...fields, origin, destination, ...(page && { page }) };
    },
  );
  const ask = async (question: CarrierQuery, own: RunContext): Promise<CarrierAnswer> => {
    const answer = answeredCarrier(id, await run(carrier, question, own), maxJourneys);
    return byDay ? answer : withCovers(answer);
  };
  const [only] = questions;
  const { journeys, places, operators, covers, filtered, leftOut, failure, pages } =
    questions.length === 1 && only !== undefined
      ? soleAnswer(await ask(only, context))
      : joinAnswers(await askAll(questions, context, ask));
  const inPart = byDay ? inDayPart(journeys, asked, query, clock) : journeys;
  return {
    journeys: applyOtherFields(withPassengers(id, inPart, query), query, capabilities),
    places,
    operators,
    covers,
    filtered,
    leftOut,
    failure,
    pages: byDay ? undefined : pages,
    ignored,
  };
}

/** A page without `covers` covers no more than its journeys show. */
function withCovers(answer: CarrierAnswer): CarrierAnswer {
  const { journeys, pages, covers } = answer;
  if (covers !== undefined || pages === undefined || journeys.length === 0) return answer;
  const times = journeys.map(({ departure }) => departure.ms);
  const fromMs = times.reduce((a, b) => Math.min(a, b));
  const untilMs = times.reduce((a, b) => Math.max(a, b));
  return { ...answer, covers: { fromMs, untilMs } };
}

/** A page may be followed on a later day than that of its result. */
function checkDay(carrier: string, date: LocalDate, { first, last }: SearchDays): void {
  if (date >= first && date <= last) return;
  const message = `Cannot ask \`${carrier}\`: ${date} is not a day from ${first} to ${last}`;
  throw new CarrierError('DATE_OUT_OF_RANGE', message);
}

type AskOne = (query: CarrierQuery, context: RunContext) => Promise<CarrierAnswer>;

/**
 * Asks all questions at the same time. A question without an answer counts as one without journeys, unless none has an
 * answer; another failure ends the rest.
 */
async function askAll(
  questions: readonly (CarrierQuery | undefined)[],
  context: RunContext,
  ask: AskOne,
): Promise<readonly CarrierAnswer[]> {
  const rest = new AbortController();
  const signal = AbortSignal.any([context.signal, rest.signal]);
  const empty: CarrierError[] = [];
  const answers = await Promise.all(
    questions.map(async (question): Promise<CarrierAnswer> => {
      if (question === undefined) return { journeys: [] };
      try {
        return await ask(question, { ...context, signal });
      } catch (thrown) {
        const error = CarrierError.from(thrown);
        if (stateOfCode(error.code) !== 'empty') {
          rest.abort(error);
          throw thrown;
        }
        empty.push(error);
        return { journeys: [] };
      }
    }),
  );
  const [first] = empty;
  if (first !== undefined && empty.length === questions.length) throw first;
  return answers;
}
