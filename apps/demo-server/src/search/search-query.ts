import {
  addDays,
  createLocalClock,
  JOURNEY_ORDERS,
  type LocalClock,
  MAX_STATION_TEXT,
  type SearchQuery,
  type Station,
  type StationIndex,
} from '@ticketing/core';
import { type Static, Type } from 'typebox';
import { badParameter } from '../http/problem.ts';

const stationText = (what: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_STATION_TEXT,
    description: `${what}: a name, a station id, or a carrier's code`,
    examples: ['Madrid', 'uic:7160000', 'renfe:60000'],
  });

export const SearchParameters = Type.Object(
  {
    origin: stationText('Where the journey begins'),
    destination: stationText('Where it ends'),
    date: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Day at the origin, YYYY-MM-DD; default: tomorrow',
      }),
    ),
    passengers: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 1 })),
    order: Type.Optional(Type.Enum(JOURNEY_ORDERS, { default: 'departure' })),
  },
  { additionalProperties: false },
);
export type SearchParameters = Static<typeof SearchParameters>;

const clock: LocalClock = createLocalClock();

/**
 * Makes a query of the parameters: stations by id, code or name; without a date, tomorrow at the origin.
 *
 * @throws ProblemError for a station that is unknown, or a name that several have
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
