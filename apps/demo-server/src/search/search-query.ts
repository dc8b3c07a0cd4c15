import {
  addDays,
  createLocalClock,
  JOURNEY_ORDERS,
  type JourneyOrder,
  type LocalClock,
  MAX_STATION_TEXT,
  type SearchQuery,
  type Station,
  type StationIndex,
} from '@ticketing/core';
import { nearest } from '@ticketing/kit';
import { type Static, Type } from 'typebox';
import { badParameter } from '../http/problem.ts';
import { CARRIER_NAMES, type CarrierName, carrierTitles } from './carriers.ts';

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
    carriers: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Names of the carriers to ask, with commas between them; default: all',
        examples: ['renfe', 'renfe,ouigo'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type SearchParameters = Static<typeof SearchParameters>;

/** A search, how its journeys are sorted, and who is asked. Plain data. */
export interface DocumentQuestion {
  readonly query: SearchQuery;
  readonly order: JourneyOrder;
  /** In the order of the registry. Absent: all that the server asks. */
  readonly carriers?: readonly CarrierName[];
}

/** What parameters are read with. */
export interface ReadContext {
  readonly stations: StationIndex;
  /** Those that the server asks. */
  readonly carriers: readonly CarrierName[];
  /** Epoch ms. */
  readonly nowMs: number;
}

const clock: LocalClock = createLocalClock();

/**
 * Makes a question of the parameters: stations by id, code or name; without a date, tomorrow at the origin. Equal questions
 * are equal however they were asked.
 *
 * @throws ProblemError for a station that is unknown, a name that several have, or a carrier that is not asked here
 */
export function readSearchQuestion(
  parameters: SearchParameters,
  { stations, carriers: known, nowMs }: ReadContext,
): DocumentQuestion {
  const origin = stationOf('origin', parameters.origin, stations);
  const destination = stationOf('destination', parameters.destination, stations);
  const { passengers, date = addDays(clock.dateOf(nowMs, origin.zone), 1) } = parameters;
  const { order = 'departure' } = parameters;
  const carriers = carriersOf(parameters.carriers, known);
  return {
    query: { origin, destination, date, ...(passengers === undefined ? {} : { passengers }) },
    order,
    ...(carriers === undefined ? {} : { carriers }),
  };
}

/** Returns `undefined` for all of them. */
function carriersOf(
  text: string | undefined,
  known: readonly CarrierName[],
): readonly CarrierName[] | undefined {
  if (text === undefined) return undefined;
  const names = new Set(text.split(',').map((name) => name.trim().toLowerCase()));
  const asked = CARRIER_NAMES.filter((name) => names.has(name));
  const unknown = [...names].find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) {
    const near = known.find((name) => name === nearest(unknown, known));
    throw badParameter(
      'carriers',
      `some of ${known.join(', ')}`,
      text,
      near === undefined ? {} : { nearest: [{ id: near, name: carrierTitles[near] }] },
    );
  }
  return asked.length === known.length ? undefined : asked;
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
