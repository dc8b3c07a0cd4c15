import type { Carrier, CarrierAnswer, CarrierContext, Covered } from '../carrier.ts';
import { CarrierError } from '../errors.ts';
import type { LocalClock } from '../model/local-clock.ts';
import { stateOfCode } from '../scatter/source-status.ts';
import type { Place } from '../stations/station-index.ts';
import { answeredCarrier } from './answered-carrier.ts';
import { type DayPart, firstDayPart, inDayPart, isAskedByDay, readDayPart } from './day-parts.ts';
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
  readonly pages?: { readonly earlier?: PageTokens; readonly later?: PageTokens } | undefined;
  readonly ignored: readonly IgnoredField[];
}

/** How a carrier is asked besides the query. */
export interface CarrierAsk {
  readonly context: CarrierContext;
  readonly run: RunCarrier;
  readonly clock: LocalClock;
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
  if (part !== undefined) checkDay(id, part, days());
  const asked = part ?? firstDayPart(query);
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
  const answers = await askAll(questions, context, async (question, own) =>
    answeredCarrier(id, await run(carrier, question, own)),
  );
  const lists = answers.map(({ journeys }) => journeys);
  const all = lists.length === 1 ? (lists[0] ?? []) : lists.flat();
  const journeys = byDay ? inDayPart(all, asked, query, clock) : all;
  return {
    ...joinedFacts(answers),
    ...(!byDay && { pages: joinedPages(answers) }),
    journeys: applyOtherFields(journeys, query, capabilities),
    ignored,
  };
}

/** A page may be followed on a later day than that of its result. */
function checkDay(carrier: string, { date }: DayPart, { first, last }: SearchDays): void {
  if (date >= first && date <= last) return;
  const message = `Cannot ask \`${carrier}\`: ${date} is not a day from ${first} to ${last}`;
  throw new CarrierError('DATE_OUT_OF_RANGE', message);
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
): Promise<readonly CarrierAnswer[]> {
  const [only] = questions;
  if (questions.length === 1 && only !== undefined) return [await ask(only, context)];
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

/** Returns what answers say besides journeys and pages. */
function joinedFacts(
  answers: readonly CarrierAnswer[],
): Pick<CarrierAnswer, 'places' | 'filtered' | 'covers'> {
  const places: Place[] = [];
  const covers: Covered[] = [];
  let filtered = 0;
  for (const answer of answers) {
    if (answer.places) places.push(...answer.places);
    if (answer.covers) covers.push(answer.covers);
    filtered += answer.filtered ?? 0;
  }
  return { places, filtered, ...(covers.length > 0 && { covers: overlapOf(covers) }) };
}

function joinedPages(answers: readonly CarrierAnswer[]): CarrierFindings['pages'] {
  const tokensOf = (direction: 'earlier' | 'later'): PageTokens | undefined => {
    const tokens = answers.map(({ pages }) => pages?.[direction] ?? null);
    return tokens.some((token) => token !== null) ? tokens : undefined;
  };
  const [earlier, later] = [tokensOf('earlier'), tokensOf('later')];
  return { ...(earlier && { earlier }), ...(later && { later }) };
}

function overlapOf(covers: readonly Covered[]): Covered {
  const fromMs = Math.max(...covers.map((covered) => covered.fromMs));
  const untilMs = Math.min(...covers.map((covered) => covered.untilMs));
  return { fromMs, untilMs: Math.max(fromMs, untilMs) };
}
