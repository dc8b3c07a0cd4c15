import type { Passenger, ResolvedQuery, SearchQuery } from '../../contract/search-query.ts';
import { isLocalDate, type LocalClock, type LocalDate, shiftDay } from '../../model/local-clock.ts';
import { presentFields } from '../../model/present-fields.ts';
import { badQuery, resolveQuery } from '../resolve-query.ts';

/** Question of a calendar: ends, month and travellers. */
export interface CalendarQuery extends Pick<SearchQuery, 'origin' | 'destination'> {
  /** `YYYY-MM`. Its days before today, at the origin, and after the last one that a search may ask for are left out. */
  readonly month: string;
  /** Number of adults, or each traveller: 1 to 9. Default 1. */
  readonly passengers?: SearchQuery['passengers'];
  /** ISO 4217 code of the currency of converted prices. Default: the base of the search's rates. */
  readonly currency?: string | undefined;
}

/** A checked query with every default. */
export interface ResolvedCalendarQuery extends Omit<CalendarQuery, 'passengers'> {
  readonly passengers: readonly Passenger[];
}

/** A checked question of a calendar, with its days. */
export interface CalendarQuestion {
  readonly query: ResolvedCalendarQuery;
  /** At least one, in order, without a gap. */
  readonly dates: readonly LocalDate[];
  /** Returns the query of a search for one of the days. */
  searchOf(date: LocalDate): ResolvedQuery;
}

/**
 * Checks a query, and returns the days of its month that a search may ask for.
 *
 * @throws RailError `ERR_BAD_QUERY`; `data.parameter` names the field
 */
export function resolveCalendar(
  query: CalendarQuery,
  nowMs: number,
  clock: LocalClock,
): CalendarQuestion {
  const { origin, destination, month, passengers, currency } = Object(query) as CalendarQuery;
  const today = dateAt(origin?.zone, nowMs, clock);
  const search = { origin, destination, date: today, passengers, currency };
  const checked = resolveQuery(search, nowMs, clock);
  const { first, last } = checked.days;
  const dates = daysOf(month).filter((date) => date >= first && date <= last);
  if (dates.length === 0) {
    const expected = `a month from ${first.slice(0, 7)} (today's at the origin) to ${last.slice(0, 7)}, as YYYY-MM`;
    throw badQuery('month', expected, month);
  }
  return {
    query: {
      origin,
      destination,
      month,
      passengers: checked.query.passengers,
      ...presentFields({ currency }),
    },
    dates,
    searchOf: (date) => ({ ...checked.query, date }),
  };
}

/** The day of an instant in a zone; the query of a zone that is none is refused by the checks of all queries. */
function dateAt(zone: string, ms: number, clock: LocalClock): LocalDate {
  try {
    return clock.dateOf(ms, zone);
  } catch {
    return '';
  }
}

/** Returns the days of a month, none for what is no month. */
function daysOf(month: unknown): readonly LocalDate[] {
  const first = `${month}-01`;
  if (typeof month !== 'string' || !/^\d{4}-\d\d$/.test(month) || !isLocalDate(first)) return [];
  return Array.from({ length: 31 }, (_, day) => shiftDay(first, day)).filter((date) =>
    date.startsWith(month),
  );
}
