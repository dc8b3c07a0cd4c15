import { addDays, CarrierError, type CarrierErrorCode, type LocalClock } from '@ticketing/core';
import type { TimePage } from '../wire/paging/time-pages.ts';
import type { NavitiaAnswer } from './answer.ts';
import { type AskedRange, askRange, type RangePages } from './ask-range.ts';

/** Returns whether the server plans in the direction of a page. */
export function isNative({ direction, by }: TimePage): boolean {
  return (direction === 'later') === (by === 'departure');
}

/** Requests for the windows beside an instant. */
export interface WindowPages extends RangePages {
  /** Returns the code of the error that an answer has. */
  problemIn(answer: NavitiaAnswer): CarrierErrorCode | undefined;
}

/** Clocks on which the days of the timetable are read. */
export interface DayClock {
  readonly clock: LocalClock;
  readonly zone: string;
}

/** Answers of a window beside an instant. */
interface AskedWindow {
  readonly answers: readonly NavitiaAnswer[];
  readonly whole: boolean;
  /** Far end of the window, epoch ms; absent where there is nothing until the timetable ends. */
  readonly farMs?: number;
}

const HOUR_MS = 3_600_000;
const SECOND_MS = 1000;
/** Windows in turn, until one has a journey. */
const WINDOWS_MS: readonly number[] = [4, 8, 24, 48].map((hours) => hours * HOUR_MS);
/** Most requests of a window: a server that gives few journeys at once has many pages. */
const MOST_REQUESTS = 150;
const NONE: AskedWindow = { answers: [], whole: true };

/**
 * Asks for the journeys that leave at an instant or before it, or that arrive at it or after it. The server has no such question: it
 * is asked from the far end of a window to the instant, and for the window beyond where that one is empty.
 *
 * @throws CarrierError what a request fails with: of a window with a gap nothing can be shown in order
 */
export async function askWindow(
  pages: WindowPages,
  { by, atMs }: Pick<TimePage, 'by' | 'atMs'>,
  day: DayClock,
): Promise<AskedWindow> {
  const step = by === 'departure' ? -1 : 1;
  let nearMs = atMs;
  for (const lengthMs of WINDOWS_MS) {
    const found = await askWithinTimetable(pages, {
      ask: (fromMs) => askRange(pages, { by, fromMs, toMs: nearMs - step, most: MOST_REQUESTS }),
      farMs: nearMs + step * lengthMs,
      borderOf: (farMs) => dayBorder(farMs, step, day),
      isNear: (ms) => step * (ms - nearMs) < 0,
    });
    if (found === undefined) return NONE;
    const { answers, whole, failure, farMs, isCut } = found;
    if (failure !== undefined) throw new CarrierError(failure.code, failure.message, failure);
    const problem = answers[0] && pages.problemIn(answers[0]);
    const isRefused = problem !== undefined && problem !== 'NO_RESULTS';
    const isFound = answers
      .flatMap((answer) => pages.timesIn(answer) ?? [])
      .some((span) => step * (span[`${by}Ms`] - nearMs) >= 0);
    if (isFound || isRefused) return { answers, whole, farMs };
    if (isCut) return NONE;
    nearMs = farMs + step;
  }
  return NONE;
}

interface WithinTimetable {
  ask(fromMs: number): Promise<AskedRange>;
  readonly farMs: number;
  /** Returns the nearest border of a day beyond which the timetable may end. */
  borderOf(farMs: number): number;
  /** Returns whether an instant is nearer than the window. */
  isNear(ms: number): boolean;
}

/** Asks for a window, or for its days that the timetable has; `undefined` where it has none of them. */
async function askWithinTimetable(
  pages: WindowPages,
  { ask, farMs, borderOf, isNear }: WithinTimetable,
): Promise<(AskedRange & { readonly farMs: number; readonly isCut: boolean }) | undefined> {
  for (let fromMs = farMs; !isNear(fromMs); fromMs = borderOf(fromMs)) {
    const asked = await ask(fromMs);
    const [first] = asked.answers;
    const isOutside = first !== undefined && pages.problemIn(first) === 'DATE_OUT_OF_RANGE';
    if (!isOutside) return { ...asked, farMs: fromMs, isCut: fromMs !== farMs };
  }
  return undefined;
}

/** Returns the first instant of the day after, or the last one of the day before. */
function dayBorder(ms: number, step: number, { clock, zone }: DayClock): number {
  const date = clock.dateOf(ms, zone);
  return step < 0
    ? clock.epoch(`${addDays(date, 1)}T00:00`, zone)
    : clock.epoch(`${date}T00:00`, zone) - SECOND_MS;
}
