import type { ResolvedQuery, SearchQuery } from '../../contract/search-query.ts';
import {
  aTimeOfDay,
  isLocalDate,
  type LocalClock,
  type LocalDate,
} from '../../model/local-clock.ts';
import { presentFields } from '../../model/present-fields.ts';
import { badQuery, resolveQuery } from '../resolve-query.ts';

/** Question of a round trip: the way out as a search has it, and when the way back begins. */
export interface RoundTripQuery extends Omit<SearchQuery, 'page'> {
  /** Day of departure at the destination; not before `date`. */
  readonly returnDate: LocalDate;
  /** `HH:MM` at the destination: departures from then on. */
  readonly returnTime?: string | undefined;
}

/** Both ways of a round trip, each as a query of its own. */
export interface BothWays {
  readonly outbound: SearchQuery;
  readonly inbound: SearchQuery;
  readonly checked: ResolvedQuery;
}

/**
 * Checks a query and divides it: the way back has its own day and time, and all else of the way out.
 *
 * @throws RailError `ERR_BAD_QUERY`; `data.parameter` names the field
 */
export function bothWays(query: RoundTripQuery, nowMs: number, clock: LocalClock): BothWays {
  const { returnDate, returnTime, ...outbound } = Object(query) as RoundTripQuery;
  const { page } = outbound as SearchQuery;
  if (page !== undefined) throw badQuery('page', 'absent in a round trip', page);
  const { query: checked, days } = resolveQuery(outbound, nowMs, clock);
  const isDay = typeof returnDate === 'string' && isLocalDate(returnDate);
  if (!isDay || returnDate < checked.date || returnDate > days.last) {
    const expected = `a day from ${checked.date} (the day of the way out) to ${days.last} as YYYY-MM-DD`;
    throw badQuery('returnDate', expected, returnDate);
  }
  if (returnTime !== undefined && !aTimeOfDay.test(returnTime)) {
    throw badQuery('returnTime', aTimeOfDay.expected, returnTime);
  }
  const { arriveBy: _arriveBy, time: _time, ...rest } = outbound;
  const inbound = {
    ...rest,
    origin: outbound.destination,
    destination: outbound.origin,
    date: returnDate,
    ...presentFields({ time: returnTime }),
  };
  return { outbound, inbound, checked };
}
