import { RailError } from './errors.ts';
import { addDays, isLocalDate, type LocalClock, type LocalDate } from './local-clock.ts';
import type { Station } from './station.ts';

/** Who wants to go where, when. Holds whole stations, so that it can be sent to another process as it is. */
export interface SearchQuery {
  readonly origin: Station;
  readonly destination: Station;
  /** Day of departure at the origin. */
  readonly date: LocalDate;
  /** Adults, 1 to 9. Default 1. */
  readonly passengers?: number;
}

/** A query that was checked and has every field. */
export type ResolvedQuery = Required<SearchQuery>;

const MAX_PASSENGERS = 9;
const MAX_DAYS_AHEAD = 366;

/**
 * Checks a query against today's date at its origin.
 *
 * @throws RailError `ERR_BAD_QUERY`; `data.parameter` names the field
 */
export function resolveQuery(query: SearchQuery, nowMs: number, clock: LocalClock): ResolvedQuery {
  const { origin, destination, date, passengers = 1 } = query;
  if (typeof origin?.id !== 'string') throw badQuery('origin', 'a station', origin);
  if (typeof destination?.id !== 'string') throw badQuery('destination', 'a station', destination);
  if (origin.id === destination.id) {
    throw badQuery('destination', 'a station other than the origin', destination.id);
  }
  if (typeof date !== 'string' || !isLocalDate(date)) {
    throw badQuery('date', 'a day of the calendar as YYYY-MM-DD', date);
  }
  const today = clock.dateOf(nowMs, origin.zone);
  const last = addDays(today, MAX_DAYS_AHEAD);
  if (date < today || date > last) {
    throw badQuery('date', `a day from ${today} (today at the origin) to ${last}`, date);
  }
  if (!Number.isInteger(passengers) || passengers < 1 || passengers > MAX_PASSENGERS) {
    throw badQuery('passengers', `an integer from 1 to ${MAX_PASSENGERS}`, passengers);
  }
  return { origin, destination, date, passengers };
}

function badQuery(parameter: string, expected: string, got: unknown): RailError {
  const shown = typeof got === 'string' ? got.slice(0, 40) : String(got);
  return new RailError(
    'ERR_BAD_QUERY',
    `Cannot search: ${parameter} must be ${expected}, got ${shown}`,
    {
      parameter,
      expected,
      got,
    },
  );
}
