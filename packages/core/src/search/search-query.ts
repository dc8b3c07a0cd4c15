import { showValue } from '@ticketing/kit';
import { RailError } from '../errors.ts';
import { addDays, isLocalDate, type LocalClock, type LocalDate } from '../model/local-clock.ts';
import type { Station } from '../stations/station-index.ts';

/** From where to where, when, and for how many. Holds whole stations, so another process needs no table of them. */
export interface SearchQuery {
  readonly origin: Station;
  readonly destination: Station;
  /** Day of departure at the origin. */
  readonly date: LocalDate;
  /** Adults, 1 to 9. Default 1. */
  readonly passengers?: number | undefined;
}

/** A checked query with every field. */
export interface ResolvedQuery extends SearchQuery {
  readonly passengers: number;
}

const MAX_PASSENGERS = 9;
const MAX_DAYS_AHEAD = 366;

/**
 * Checks a query and fills it. Today is the date at its origin.
 *
 * @throws RailError `ERR_BAD_QUERY`; `data.parameter` names the field
 */
export function resolveQuery(query: SearchQuery, nowMs: number, clock: LocalClock): ResolvedQuery {
  if (typeof query !== 'object' || query === null) throw badQuery('query', 'an object', query);
  const { origin, destination, date, passengers = 1 } = query;
  const today = dateAt('origin', origin, nowMs, clock);
  dateAt('destination', destination, nowMs, clock);
  if (origin.id === destination.id) {
    throw badQuery('destination', 'a station other than the origin', destination.id);
  }
  if (typeof date !== 'string' || !isLocalDate(date)) {
    throw badQuery('date', 'a day of the calendar as YYYY-MM-DD', date);
  }
  const last = addDays(today, MAX_DAYS_AHEAD);
  if (date < today || date > last) {
    throw badQuery('date', `a day from ${today} (today at the origin) to ${last}`, date);
  }
  if (!Number.isInteger(passengers) || passengers < 1 || passengers > MAX_PASSENGERS) {
    throw badQuery('passengers', `an integer from 1 to ${MAX_PASSENGERS}`, passengers);
  }
  return { origin, destination, date, passengers };
}

/** Returns today's date at a station, which proves that it is a station. */
function dateAt(parameter: string, station: Station, nowMs: number, clock: LocalClock): LocalDate {
  if (typeof station?.id !== 'string') throw badQuery(parameter, 'a station', station);
  try {
    return clock.dateOf(nowMs, station.zone);
  } catch (error) {
    if (RailError.is(error)) throw error;
    throw badQuery(parameter, 'a station with an IANA time zone', station.zone);
  }
}

function badQuery(parameter: string, expected: string, got: unknown): RailError {
  const shown = typeof got === 'object' && got !== null ? 'an object' : showValue(got);
  return new RailError(
    'ERR_BAD_QUERY',
    `Cannot search: \`${parameter}\` must be ${expected}, got ${shown}`,
    { parameter, expected, got },
  );
}
