import type { CarrierFailure } from '@ticketing/core';
import type { NavitiaAnswer } from './answer.ts';
import type { NavitiaAsk } from './journeys-url.ts';
import type { Span } from './times.ts';

/** Time in which all journeys are wanted: forward by departures, backward by arrivals. */
export interface Range {
  readonly by: 'departure' | 'arrival';
  readonly fromMs: number;
  /** The end, which is not wanted itself. */
  readonly toMs: number;
  /** Most requests. */
  readonly most: number;
}

/** Requests for the pages of a range. */
export interface RangePages {
  ask(ask: Omit<NavitiaAsk, 'results'>, index: number): Promise<NavitiaAnswer>;
  timesIn(answer: NavitiaAnswer): readonly Span[] | undefined;
  /** Returns why no other page may begin, if there is no time for it. */
  late(): CarrierFailure | undefined;
  /** Returns why a page failed, or throws it. */
  failure(error: unknown): CarrierFailure;
}

/** Answers of a range. */
export interface AskedRange {
  readonly answers: readonly NavitiaAnswer[];
  /** True if no journey of the range is missing. */
  readonly whole: boolean;
  readonly failure?: CarrierFailure;
}

/** Resolution of times on the wire. */
const SECOND_MS = 1000;

/**
 * Asks from one end of a range to the other: each page begins at the last instant of the page before it, of which journeys may be
 * missing, and after it when it brought no others.
 *
 * @throws what the first page fails with
 */
export async function askRange(
  { ask, timesIn, late, failure }: RangePages,
  { by, fromMs, toMs, most }: Range,
): Promise<AskedRange> {
  const step = by === 'departure' ? 1 : -1;
  const isPast = (a: number, b: number): boolean => step * (a - b) > 0;
  const reachOf = (answer: NavitiaAnswer): number | undefined =>
    timesIn(answer)
      ?.map((span) => span[`${by}Ms`])
      .reduce((a, b) => (isPast(a, b) ? a : b));
  const first = await ask({ by, atMs: fromMs, toMs }, 0);
  const answers = [first];
  let atMs = fromMs;
  let reached = reachOf(first);
  while (reached !== undefined && isPast(toMs, reached)) {
    if (answers.length >= most) return { answers, whole: false };
    const lateness = late();
    if (lateness !== undefined) return { answers, whole: false, failure: lateness };
    atMs = isPast(reached, atMs) ? reached : atMs + step * SECOND_MS;
    let next: NavitiaAnswer;
    try {
      next = await ask({ by, atMs, toMs }, answers.length);
    } catch (error) {
      return { answers, whole: false, failure: failure(error) };
    }
    answers.push(next);
    const last = reachOf(next);
    // Nothing after what is known: that was the last one.
    if (last !== undefined && !isPast(last, reached) && isPast(atMs, reached)) break;
    reached = last;
  }
  return { answers, whole: true };
}
