import type { CarrierCapabilities } from '../carrier.ts';
import type { Journey } from '../model/journey.ts';
import { isLocalDate, type LocalClock, type LocalDate, shiftDay } from '../model/local-clock.ts';
import type { ResolvedQuery } from './search-query.ts';

/** A day; the day of a query with a time has two parts. */
export interface DayPart {
  readonly date: LocalDate;
  /** `early`: before the time of the query, with `arriveBy` until it; `late`: the rest. */
  readonly part?: 'early' | 'late';
}

/** Whether a carrier is asked for whole days: it answers no others, or not by the time of the query. */
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
  return time === undefined ? { date } : { date, part: arriveBy ? 'early' : 'late' };
}

/** Returns the part that is next in a direction. All parts in turn are all days. */
export function nextDayPart(
  { date, part }: DayPart,
  direction: 'earlier' | 'later',
  query: ResolvedQuery,
): DayPart {
  const [near, far, days] =
    direction === 'later' ? (['early', 'late', 1] as const) : (['late', 'early', -1] as const);
  if (part === near) return { date, part: far };
  const next = shiftDay(date, days);
  return next === query.date && query.time !== undefined
    ? { date: next, part: near }
    : { date: next };
}

/** `2026-12-01`, `2026-12-01 early`, `2026-12-01 late`. */
export function writeDayPart({ date, part }: DayPart): string {
  return part === undefined ? date : `${date} ${part}`;
}

/** Returns the part that a text means for a query, or `undefined`. */
export function readDayPart(text: string, query: ResolvedQuery): DayPart | undefined {
  const [date = '', part, ...more] = text.split(' ');
  if (!isLocalDate(date) || more.length > 0) return undefined;
  const hasParts = date === query.date && query.time !== undefined;
  if (part === undefined) return hasParts ? undefined : { date };
  return hasParts && (part === 'early' || part === 'late') ? { date, part } : undefined;
}

/** Returns the journeys of a part of a day, given those of the day. */
export function inDayPart(
  journeys: readonly Journey[],
  { part }: DayPart,
  { origin, destination, date, time, arriveBy }: ResolvedQuery,
  clock: LocalClock,
): readonly Journey[] {
  if (part === undefined) return journeys;
  const at = clock.epoch(`${date}T${time}`, (arriveBy ? destination : origin).zone);
  return journeys.filter(({ departure, arrival }) => {
    const early = arriveBy ? arrival.ms <= at : departure.ms < at;
    return early === (part === 'early');
  });
}
