import type { CarrierCapabilities } from '../contract/carrier.ts';
import type { Direction } from '../contract/search-page.ts';
import type { ResolvedQuery } from '../contract/search-query.ts';
import type { Journey } from '../model/journey.ts';
import { minutesAfterLast, minutesBeforeFirst } from '../model/leg-times.ts';
import { isLocalDate, type LocalClock, shiftDay } from '../model/local-clock.ts';

const MINUTE_MS = 60_000;

/**
 * A day, `2026-12-01`; the day of a query with a time has two parts, `2026-12-01 early` and `2026-12-01 late`: before
 * the time of the query, with `arriveBy` until it, and the rest.
 */
export type DayPart = string;

/** Returns whether a carrier is asked for whole days: it answers no others, or not by the time of the query. */
export function isAskedByDay(
  { window, native = [] }: CarrierCapabilities = {},
  { time, arriveBy }: ResolvedQuery,
): boolean {
  return (
    window !== 'page' || (time !== undefined && !native.includes(arriveBy ? 'arriveBy' : 'time'))
  );
}

/** Returns what a query asks for, without a page. */
export function firstDayPart({ date, time, arriveBy }: ResolvedQuery): DayPart {
  return time === undefined ? date : `${date} ${arriveBy ? 'early' : 'late'}`;
}

/** Returns the part that is next in a direction. All parts in turn are all days. */
export function nextDayPart(asked: DayPart, direction: Direction, query: ResolvedQuery): DayPart {
  const [near, far] = direction === 'later' ? ['early', 'late'] : ['late', 'early'];
  const [date = '', part] = asked.split(' ');
  if (part === near) return `${date} ${far}`;
  const next = shiftDay(date, direction === 'later' ? 1 : -1);
  return hasParts(next, query) ? `${next} ${near}` : next;
}

/** Returns whether a text is a part of a day as a query divides days. */
export function isDayPart(text: string, query: ResolvedQuery): boolean {
  const [date = '', ...parts] = text.split(' ');
  if (!isLocalDate(date)) return false;
  return hasParts(date, query) ? /^(early|late)$/.test(parts.join(' ')) : parts.length === 0;
}

function hasParts(day: string, { date, time }: ResolvedQuery): boolean {
  return day === date && time !== undefined;
}

/** Returns the journeys of a part of a day, from door to door, given the journeys of the day. */
export function inDayPart(
  journeys: readonly Journey[],
  asked: DayPart,
  { origin, destination, date, time, arriveBy }: ResolvedQuery,
  clock: LocalClock,
): readonly Journey[] {
  const [, part] = asked.split(' ');
  if (part === undefined) return journeys;
  const at = clock.epoch(`${date}T${time}`, (arriveBy ? destination : origin).zone);
  return journeys.filter(({ departure, arrival, legs }) => {
    const early = arriveBy
      ? arrival.ms + minutesAfterLast(legs) * MINUTE_MS <= at
      : departure.ms - minutesBeforeFirst(legs) * MINUTE_MS < at;
    return early === (part === 'early');
  });
}
