import { addDays, type CalendarQuery, createLocalClock } from '@ticketing/core';
import { type Static, Type } from 'typebox';
import type { CarrierName } from '../../carriers/carriers.ts';
import { badParameter } from '../../problem/problem.ts';
import { SearchParameters } from '../search-parameters.ts';
import {
  carriersOf,
  currencyOf,
  passengersOf,
  type ReadContext,
  stationOf,
} from '../search-query.ts';

const { origin, destination, passengers, ages, cards, currency, carriers } =
  SearchParameters.properties;

/** Parameters of `GET /calendar`. */
export const CalendarParameters = Type.Object(
  {
    origin,
    destination,
    month: Type.Optional(
      Type.String({
        maxLength: 7,
        description: 'Month of departure, YYYY-MM; default: that of tomorrow at the origin',
        examples: ['2027-01'],
      }),
    ),
    passengers,
    ages,
    cards,
    currency,
    carriers,
  },
  { additionalProperties: false },
);
export type CalendarParameters = Static<typeof CalendarParameters>;

/** A calendar, and who is asked. */
export interface CalendarAsked {
  readonly query: CalendarQuery;
  /** Absent: all that the server asks. */
  readonly carriers?: readonly CarrierName[];
}

const clock = createLocalClock();

/**
 * Makes a question of the parameters.
 *
 * @throws ProblemError for a station that is unknown, a name that several have, a carrier that is not asked here, or a month that is none
 */
export function readCalendarQuestion(
  parameters: CalendarParameters,
  { stations, carriers: known, nowMs }: Omit<ReadContext, 'pageTokens'>,
): CalendarAsked {
  const from = stationOf('origin', parameters.origin, stations);
  const to = stationOf('destination', parameters.destination, stations);
  const tomorrow = addDays(clock.dateOf(nowMs, from.zone), 1);
  const { month = tomorrow.slice(0, 7) } = parameters;
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month))
    throw badParameter('month', 'a month as YYYY-MM', month);
  const people = passengersOf(parameters);
  const code = currencyOf(parameters);
  const asked = carriersOf(parameters.carriers, known);
  return {
    query: {
      origin: from,
      destination: to,
      month,
      ...(people !== undefined && { passengers: people }),
      ...(code !== undefined && { currency: code }),
    },
    ...(asked && { carriers: asked }),
  };
}
