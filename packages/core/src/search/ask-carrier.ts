import type { Carrier, CarrierAnswer, CarrierContext, Covered } from '../carrier.ts';
import { CarrierError } from '../errors.ts';
import type { LocalClock } from '../model/local-clock.ts';
import { stateOfCode } from '../scatter/source-status.ts';
import { answeredCarrier } from './answered-carrier.ts';
import { firstDayPart, inDayPart, isAskedByDay, readDayPart } from './day-parts.ts';
import {
  applyOtherFields,
  type IgnoredField,
  ignoredFields,
  nativeFields,
} from './native-fields.ts';
import { type PageTokens, tokensOf } from './pages.ts';
import type { RunCarrier } from './search-options.ts';
import type { CarrierQuery, ResolvedQuery, SearchDays } from './search-query.ts';
import { stationPairs } from './station-pairs.ts';

/** What one carrier answers to a query. */
export interface CarrierFindings extends Omit<CarrierAnswer, 'pages'> {
  /** Of a carrier that gives tokens: one for each pair of stations that it was asked for. */
  readonly pages?: { readonly earlier?: PageTokens; readonly later?: PageTokens };
  readonly ignored: readonly IgnoredField[];
}

/** How a carrier is asked besides the query. */
export interface CarrierAsk {
  readonly context: CarrierContext;
  readonly run: RunCarrier;
  readonly clock: LocalClock;
  readonly days: SearchDays;
}

/**
 * Asks one carrier what a query means for it. A group is asked by its own code where the carrier has one, else by up
 * to four pairs of stations at the same time. What the carrier cannot answer itself is left out of its answer
 * here, or named in `ignored`.
 */
export async function askCarrier(
  carrier: Carrier,
  query: ResolvedQuery,
  { context, run, clock, days }: CarrierAsk,
): Promise<CarrierFindings> {
  const { id, capabilities } = carrier;
  const { page } = query;
  const ignored = ignoredFields(query, capabilities);
  const tokens = tokensOf(query, id);
  // The page before said that there is no more.
  if (tokens === undefined) return { journeys: [], ignored };
  const byDay = isAskedByDay(capabilities, query);
  const part = byDay && tokens[0] ? readDayPart(tokens[0], query) : undefined;
  const asked = part ?? firstDayPart(query);
  if (asked.date < days.first || asked.date > days.last) {
    const message = `Cannot ask \`${id}\`: ${asked.date} is not a day from ${days.first} to ${days.last}`;
    throw new CarrierError('DATE_OUT_OF_RANGE', message);
  }
  const fields = nativeFields(query, capabilities);
  const questions = stationPairs(carrier, query).map(
    ([origin, destination], index): CarrierQuery | undefined => {
      if (byDay) return { ...fields, date: asked.date, origin, destination };
      const token = tokens[index];
      if (token === null) return undefined;
      const own = page && token ? { direction: page.direction, token } : undefined;
      return { ...fields, origin, destination, ...(own && { page: own }) };
    },
  );
  const { pages, ...answer } = await askAll(questions, context, async (question, own) =>
    answeredCarrier(id, await run(carrier, question, own)),
  );
  const journeys = byDay ? inDayPart(answer.journeys, asked, query, clock) : answer.journeys;
  return {
    ...answer,
    ...(pages && !byDay && { pages }),
    journeys: applyOtherFields(journeys, query, capabilities),
    ignored,
  };
}

type AskOne = (query: CarrierQuery, context: CarrierContext) => Promise<CarrierAnswer>;

/**
 * Asks all questions at the same time. One that the carrier says has no answer counts as one without journeys, unless
 * it says so of all; another failure ends the rest.
 */
async function askAll(
  questions: readonly (CarrierQuery | undefined)[],
  context: CarrierContext,
  ask: AskOne,
): Promise<Omit<CarrierFindings, 'ignored'>> {
  const [only] = questions;
  if (questions.length === 1 && only !== undefined) return joinAnswers([await ask(only, context)]);
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
  return joinAnswers(answers);
}

function joinAnswers(answers: readonly CarrierAnswer[]): Omit<CarrierFindings, 'ignored'> {
  const [first = { journeys: [] }, ...others] = answers;
  const places = answers.flatMap((answer) => answer.places ?? []);
  const filtered = answers.reduce((sum, answer) => sum + (answer.filtered ?? 0), 0);
  const covers = answers.flatMap((answer) => answer.covers ?? []);
  const earlier = answers.map(({ pages }) => pages?.earlier ?? null);
  const later = answers.map(({ pages }) => pages?.later ?? null);
  const hasEarlier = earlier.some((token) => token !== null);
  const hasLater = later.some((token) => token !== null);
  return {
    journeys: others.length === 0 ? first.journeys : answers.flatMap(({ journeys }) => journeys),
    ...(places.length > 0 && { places }),
    ...(filtered > 0 && { filtered }),
    ...((hasEarlier || hasLater) && {
      pages: { ...(hasEarlier && { earlier }), ...(hasLater && { later }) },
    }),
    ...(covers.length > 0 && { covers: overlapOf(covers) }),
  };
}

function overlapOf(covers: readonly Covered[]): Covered {
  const fromMs = Math.max(...covers.map((covered) => covered.fromMs));
  const untilMs = Math.min(...covers.map((covered) => covered.untilMs));
  return { fromMs, untilMs: Math.max(fromMs, untilMs) };
}
