import {
  addDays,
  createLocalClock,
  type LocalClock,
  type SearchQuery,
  type Station,
  type StationIndex,
} from '@ticketing/core';
import { badParameter } from '../http/problem.ts';
import type { SearchParameters } from './search-schema.ts';

const clock: LocalClock = createLocalClock();

/**
 * Makes a query of the parameters: stations by id, code or name; no date = tomorrow at the origin.
 *
 * @throws ProblemError for a station that is unknown or not the only one of its name
 */
export function readSearchQuery(
  parameters: SearchParameters,
  stations: StationIndex,
  nowMs: number,
): SearchQuery {
  const origin = stationOf('origin', parameters.origin, stations);
  const destination = stationOf('destination', parameters.destination, stations);
  const { passengers, date = addDays(clock.dateOf(nowMs, origin.zone), 1) } = parameters;
  return { origin, destination, date, ...(passengers === undefined ? {} : { passengers }) };
}

function stationOf(
  parameter: 'origin' | 'destination',
  text: string,
  stations: StationIndex,
): Station {
  const match = stations.find(text);
  switch (match.kind) {
    case 'found':
      return match.station;
    case 'unknown':
      throw badParameter(parameter, 'a known station', text, { nearest: brief(match.nearest) });
    case 'ambiguous':
      throw badParameter(parameter, 'the name of one station', text, {
        nearest: brief(match.candidates),
      });
  }
}

function brief(stations: readonly Station[]): { id: string; name: string }[] {
  return stations.map(({ id, name }) => ({ id, name }));
}
