import type { CarrierAnswer, Covered, Journey } from '@ticketing/core';

const MINUTE_MS = 60_000;

/** A page of journeys: those on one side of an instant. */
export interface TimePage {
  /** `later`: that leave (or arrive) then or after it. `earlier`: then or before it. */
  readonly direction: 'earlier' | 'later';
  readonly by: 'departure' | 'arrival';
  /** Epoch ms. */
  readonly atMs: number;
  /** Ids of journeys at the instant that the page before had. */
  readonly known?: readonly string[];
}

/** Most ids that a page knows: a token has room for them. */
const MOST_KNOWN = 64;
/** Ids of journeys in a token. */
const KNOWN = /^j-[\w-]{1,20}(?:,j-[\w-]{1,20}){0,63}$/;

/** Returns what a token says of a page beside its instant: nothing, or `~` and ids. */
export function writeKnown({ known = [] }: TimePage): string {
  return known.length === 0 ? '' : `~${known.join(',')}`;
}

/** Returns the ids of such a text without its `~`, or `undefined` when it is none. */
export function readKnown(text: string): readonly string[] | undefined {
  return KNOWN.test(text) ? text.split(',') : undefined;
}

/** How a server was asked for a page. */
export interface AskedPage {
  readonly page: TimePage;
  /** Epoch ms: pages were asked for until there. Absent: one page. */
  readonly untilMs?: number | undefined;
  /** Whether no journey until there is missing. */
  readonly whole: boolean;
}

/** The journeys of a page, and the pages beside it. */
interface TimeWindow extends Pick<CarrierAnswer, 'journeys'> {
  readonly covers: Covered;
  /** In the other direction. */
  readonly behind: TimePage;
  readonly ahead?: TimePage;
}

/**
 * Returns the instant that a request names for a page. Whether journeys before an instant may leave at it is not said: earlier
 * departures are asked for from the next minute, and those of that minute are left out.
 */
export function askedMs({ direction, by, atMs }: TimePage): number {
  const minute = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  if (direction === 'later') return minute;
  return by === 'departure' || minute < atMs ? minute + MINUTE_MS : minute;
}

/**
 * Returns the journeys of a page, and where those before and after them are. Without cursors a page ends at an instant. Of journeys
 * that share it the server may have kept some back: the next page begins there, and leaves out those that are known.
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
