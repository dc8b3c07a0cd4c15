import type { ResolvedQuery, SearchQuery } from '../../contract/search-query.ts';
import { RailError } from '../../errors.ts';
import type { LocalClock } from '../../model/local-clock.ts';
import { presentFields } from '../../model/present-fields.ts';
import { MAX_COMBINED_TRANSFERS } from '../../split/combine-journeys.ts';
import type { ResolvedHub } from '../../split/hubs.ts';
import type { Station, StationGroup } from '../../stations/station-index.ts';
import { searchDays } from '../resolve-query.ts';

const MINUTE_MS = 60_000;

/** A hub, and the queries to it and from it. */
export interface HubQueries {
  readonly hub: ResolvedHub;
  readonly to: SearchQuery;
  readonly from: SearchQuery;
  /** Most changes of both together. */
  readonly maxTransfers: number;
}

/** Clock, and the time now. */
export interface Now {
  readonly clock: LocalClock;
  readonly nowMs: number;
}

/**
 * Returns the queries to and from each hub. A hub that shares a station with an end of the query has none, nor one where the day
 * is not on sale; without changes (`maxTransfers: 0`) no hub has any. `time` counts at the origin, and from the hub as early as a
 * traveller could be there; with `arriveBy` only the second journey has it.
 *
 * @throws RailError `ERR_BAD_QUERY` for a query with `via` or `page`, which no two halves can answer
 */
export function hubQueries(
  query: ResolvedQuery,
  hubs: readonly ResolvedHub[],
  now: Now,
): readonly HubQueries[] {
  for (const parameter of ['via', 'page'] as const) {
    if (query[parameter] === undefined) continue;
    const expected = 'absent in a search over hubs';
    const message = `Cannot search: \`${parameter}\` must be ${expected}`;
    throw new RailError('ERR_BAD_QUERY', message, { parameter, expected });
  }
  const { origin, destination, date, time, arriveBy, maxTransfers, ...rest } = query;
  if (maxTransfers === 0) return [];
  const ends = new Set([...idsOf(origin), ...idsOf(destination)]);
  const fields = {
    ...rest,
    ...presentFields({ maxTransfers: maxTransfers && maxTransfers - 1 }),
  };
  return hubs.flatMap((hub): readonly HubQueries[] => {
    const { at } = hub;
    if (idsOf(at).some((id) => ends.has(id))) return [];
    const leaving = arriveBy
      ? { date, ...presentFields({ time, arriveBy }) }
      : leavingAt(query, hub, now);
    const { first, last } = searchDays({ origin: at }, now.nowMs, now.clock);
    if (leaving.date < first || leaving.date > last) return [];
    const start = presentFields({ time: arriveBy ? undefined : time });
    return [
      {
        hub,
        to: { ...fields, origin, destination: at, date, ...start },
        from: { ...fields, origin: at, destination, ...leaving },
        maxTransfers: Math.min(maxTransfers ?? MAX_COMBINED_TRANSFERS, MAX_COMBINED_TRANSFERS),
      },
    ];
  });
}

/** Returns the day, and with a time the time, at which a traveller can leave a hub at the earliest. */
function leavingAt(
  { origin, date, time }: ResolvedQuery,
  { at, minMinutes }: ResolvedHub,
  { clock, nowMs }: Now,
): Pick<SearchQuery, 'date' | 'time'> {
  const startMs = Math.max(nowMs, clock.epoch(`${date}T${time ?? '00:00'}`, origin.zone));
  const { iso } = clock.fromEpoch(startMs + minMinutes * MINUTE_MS, at.zone);
  const day = iso.slice(0, 10);
  // Where clocks are behind, the day before is not over: no traveller is there so early.
  if (day < date) return { date };
  return { date: day, ...presentFields({ time: time && iso.slice(11, 16) }) };
}

function idsOf(end: Station | StationGroup): readonly string[] {
  return 'members' in end ? [end, ...end.members].map(({ id }) => id) : [end.id];
}
