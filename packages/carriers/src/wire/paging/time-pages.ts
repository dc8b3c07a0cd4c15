import type { CarrierAnswer, Covered, Journey } from '@ticketing/core';

const MINUTE_MS = 60_000;

/** A page of journeys, all on one side of an instant. */
export interface TimePage {
  /** Side of the instant. `later`: journeys that leave (or arrive) at it or after it; `earlier`: at it or before it. */
  readonly direction: 'earlier' | 'later';
  readonly by: 'departure' | 'arrival';
  /** Instant in epoch milliseconds. */
  readonly atMs: number;
  /** Ids of journeys at the instant that the previous page had. */
  readonly known?: readonly string[];
}

/** Most ids that a page knows: a token has room for them. */
const MOST_KNOWN = 64;
/** Ids of journeys in a token. */
const KNOWN = /^j-[\w-]{1,20}(?:,j-[\w-]{1,20}){0,63}$/;

/** Returns the part of a token after the page's instant: nothing, or `~` and the known ids. */
export function writeKnown({ known = [] }: TimePage): string {
  return known.length === 0 ? '' : `~${known.join(',')}`;
}

/** Returns the ids in such a part without its `~`, or `undefined` for any other text. */
export function readKnown(text: string): readonly string[] | undefined {
  return KNOWN.test(text) ? text.split(',') : undefined;
}

/** A page, and the request for it. */
export interface AskedPage {
  readonly page: TimePage;
  /** Epoch milliseconds until which pages were asked for. Absent: one page. */
  readonly untilMs?: number | undefined;
  /** True if every journey up to `untilMs` is included. */
  readonly whole: boolean;
}

/** Journeys of a page, and the pages beside it. */
interface TimeWindow extends Pick<CarrierAnswer, 'journeys'> {
  readonly covers: Covered;
  /** Page in the other direction. */
  readonly behind: TimePage;
  readonly ahead?: TimePage;
}

/**
 * Returns the instant in a request for a page. Servers do not define if journeys before an instant may leave at it, so earlier
 * departures are asked for from the next minute, and departures of that minute are left out.
 */
export function askedMs({ direction, by, atMs }: TimePage): number {
  const minute = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  if (direction === 'later') return minute;
  return by === 'departure' || minute < atMs ? minute + MINUTE_MS : minute;
}

/**
 * Returns the journeys of a page, and the pages before and after it. Without cursors a page ends at an instant. The server may have
 * kept back some journeys of that instant, so the next page begins at it, and leaves out the journeys that are known.
 */
export function windowOf(
  { page, untilMs, whole }: AskedPage,
  found: readonly Journey[],
): TimeWindow {
  const { direction, by, atMs, known = [] } = page;
  const timeOf = (journey: Journey): number => journey[by].ms;
  const isLater = direction === 'later';
  const journeys = found.filter(
    (journey) =>
      !known.includes(journey.id) &&
      (isLater
        ? timeOf(journey) >= atMs && timeOf(journey) < (untilMs ?? Number.POSITIVE_INFINITY)
        : timeOf(journey) <= atMs),
  );
  const behind: TimePage = {
    by,
    direction: isLater ? 'earlier' : 'later',
    atMs: isLater ? atMs - 1 : atMs + 1,
  };
  const leadingTo = (ms: number, seen: readonly string[] = []): TimeWindow => ({
    journeys,
    behind,
    ahead: { by, direction, atMs: ms, ...(seen.length > 0 && { known: seen }) },
    covers: coversOf(page, ms),
  });
  if (untilMs !== undefined && whole) {
    return { ...leadingTo(untilMs), covers: { fromMs: atMs, untilMs } };
  }
  const minute = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  const nextMinute = isLater ? minute + MINUTE_MS : minute - 1;
  if (journeys.length === 0) {
    // Without others the page is full of journeys of the minute that was asked for.
    const asked = askedMs(page);
    const isFull = found.some((journey) => Math.abs(timeOf(journey) - asked) <= MINUTE_MS);
    if (isFull) return leadingTo(nextMinute);
    return { journeys, behind, covers: { fromMs: atMs, untilMs: atMs } };
  }
  // Not by spreading: an answer may have more journeys than a call may have arguments.
  const border = journeys.map(timeOf).reduce((a, b) => (isLater ? Math.max(a, b) : Math.min(a, b)));
  const seen = journeys.filter((journey) => timeOf(journey) === border).map(({ id }) => id);
  const all = border === atMs ? [...known, ...seen] : seen;
  return all.length > MOST_KNOWN ? leadingTo(nextMinute) : leadingTo(border, all);
}

/** Returns the interval, between the instant of a page and the page after it, in which no departure is missing. */
function coversOf({ direction, by, atMs }: TimePage, ahead: number): Covered {
  if (direction === 'later') {
    // A train that arrives before the page's end may have left at any time before.
    return { fromMs: atMs, untilMs: by === 'departure' ? Math.max(atMs, ahead) : atMs };
  }
  // A train that leaves after the page's first arrival arrives after it, too.
  return { fromMs: Math.min(ahead + 1, atMs), untilMs: by === 'departure' ? atMs + 1 : atMs };
}
