import { showValue } from '@ticketing/kit';
import { RailError } from '../errors.ts';
import {
  isLocalDate,
  isTimeOfDay,
  type LocalClock,
  type LocalDate,
  shiftDay,
} from '../model/local-clock.ts';
import type { Station, StationGroup } from '../stations/station-index.ts';
import type { SearchPage } from './pages.ts';

/** One traveller. Without an age an adult. */
export interface Passenger {
  /** Years, 0 to 120. */
  readonly age?: number;
  /** Codes of cards that reduce fares, at most 8. */
  readonly cards?: readonly string[];
}

/** From where to where, when, and for whom. Holds whole stations, so another process needs no table of them. */
export interface SearchQuery {
  readonly origin: Station | StationGroup;
  readonly destination: Station | StationGroup;
  /** Day of departure at the origin; with `arriveBy` day of arrival at the destination. */
  readonly date: LocalDate;
  /** `HH:MM` at the origin: departures from then on. With `arriveBy`, at the destination: arrivals until then. */
  readonly time?: string | undefined;
  /** Needs `time`. Default false. */
  readonly arriveBy?: boolean | undefined;
  /** Where a journey calls or changes; of a group, at any of its stations. */
  readonly via?: Station | StationGroup | undefined;
  /** Changes at most, 0 to 8. */
  readonly maxTransfers?: number | undefined;
  /** Offers of another class are left out. */
  readonly travelClass?: 'first' | 'second' | undefined;
  /** How many adults, or who travels: 1 to 9. Default 1. */
  readonly passengers?: number | readonly Passenger[] | undefined;
  /** The journeys before or after those of an earlier result, by its `pages`. */
  readonly page?: SearchPage | undefined;
}

/** A checked query with every field that has a default. */
export interface ResolvedQuery extends Omit<SearchQuery, 'passengers'> {
  /** At least one. */
  readonly passengers: readonly Passenger[];
}

/**
 * What one carrier is asked: ends and `via` are single stations, and of `time`, `arriveBy`, `via`, `maxTransfers` and
 * `travelClass` it has those that are in the carrier's `capabilities.native`.
 */
export interface CarrierQuery
  extends Omit<ResolvedQuery, 'origin' | 'destination' | 'via' | 'page'> {
  readonly origin: Station;
  readonly destination: Station;
  readonly via?: Station | undefined;
  /** The token of an earlier answer, and where it leads. Only for carriers whose `capabilities.window` is `page`. */
  readonly page?: { readonly direction: 'earlier' | 'later'; readonly token: string } | undefined;
}

const MAX_PASSENGERS = 9;
const MAX_DAYS_AHEAD = 366;
const MAX_TRANSFERS = 8;
const MAX_AGE = 120;
const MAX_CARDS = 8;
const MAX_MEMBERS = 50;

/**
 * Checks a query and fills it, and returns the days that it may ask for: from today, the date at its origin.
 *
 * @throws RailError `ERR_BAD_QUERY`; `data.parameter` names the field
 */
export function resolveQuery(
  query: SearchQuery,
  nowMs: number,
  clock: LocalClock,
): { readonly query: ResolvedQuery; readonly days: SearchDays } {
  if (typeof query !== 'object' || query === null) throw badQuery('query', 'an object', query);
  const { origin, destination, date, via } = query;
  const today = dateAt('origin', origin, nowMs, clock);
  dateAt('destination', destination, nowMs, clock);
  if (via !== undefined) dateAt('via', via, nowMs, clock);
  checkEnds(query, (parameter, member) => dateAt(parameter, member, nowMs, clock));
  if (via !== undefined) {
    const ends = [origin, destination].flatMap(stationsOf);
    if (stationsOf(via).some(({ id }) => ends.some((end) => end.id === id))) {
      throw badQuery('via', 'a station other than the ends', via.id);
    }
  }
  if (typeof date !== 'string' || !isLocalDate(date)) {
    throw badQuery('date', 'a day of the calendar as YYYY-MM-DD', date);
  }
  const last = shiftDay(today, MAX_DAYS_AHEAD);
  if (date < today || date > last) {
    throw badQuery('date', `a day from ${today} (today at the origin) to ${last}`, date);
  }
  const passengers = passengersOf(query.passengers);
  return {
    query: { origin, destination, date, ...optionalFields(query), passengers },
    days: { first: today, last },
  };
}

/** The days that a search may ask for. */
export interface SearchDays {
  readonly first: LocalDate;
  readonly last: LocalDate;
}

/** Returns the days that a search may ask for, given the time now. */
export function searchDays(
  { origin }: ResolvedQuery,
  nowMs: number,
  clock: LocalClock,
): SearchDays {
  const first = clock.dateOf(nowMs, origin.zone);
  return { first, last: shiftDay(first, MAX_DAYS_AHEAD) };
}

/** Returns the fields without a default that are given, checked. `page` is checked where carriers are known. */
function optionalFields(
  query: SearchQuery,
): Omit<ResolvedQuery, 'origin' | 'destination' | 'date' | 'passengers'> {
  const { time, arriveBy, via, maxTransfers, travelClass, page } = query;
  if (time !== undefined && !(typeof time === 'string' && isTimeOfDay(time))) {
    throw badQuery('time', 'a time of day as HH:MM', time);
  }
  if (arriveBy !== undefined && typeof arriveBy !== 'boolean') {
    throw badQuery('arriveBy', 'true or false', arriveBy);
  }
  if (arriveBy && time === undefined) throw badQuery('time', 'given with `arriveBy`', time);
  if (maxTransfers !== undefined && !isWhole(maxTransfers, 0, MAX_TRANSFERS)) {
    throw badQuery('maxTransfers', `an integer from 0 to ${MAX_TRANSFERS}`, maxTransfers);
  }
  if (travelClass !== undefined && travelClass !== 'first' && travelClass !== 'second') {
    throw badQuery('travelClass', 'first or second', travelClass);
  }
  return {
    ...(time !== undefined && { time }),
    ...(arriveBy && { arriveBy }),
    ...(via !== undefined && { via }),
    ...(maxTransfers !== undefined && { maxTransfers }),
    ...(travelClass !== undefined && { travelClass }),
    ...(page !== undefined && { page }),
  };
}

/** The stations of an end: itself, or the members of a group. */
export function stationsOf(end: Station | StationGroup): readonly Station[] {
  return 'members' in end ? end.members : [end];
}

function checkEnds(
  { origin, destination, via }: SearchQuery,
  checkMember: (parameter: string, member: Station) => void,
): void {
  for (const [parameter, end] of Object.entries({ origin, destination, via })) {
    if (end === undefined || !('members' in end)) continue;
    const { members } = end;
    if (!Array.isArray(members) || members.length < 1 || members.length > MAX_MEMBERS) {
      throw badQuery(parameter, `a group of 1 to ${MAX_MEMBERS} stations`, members);
    }
    for (const [index, member] of members.entries()) {
      checkMember(`${parameter}.members[${index}]`, member);
    }
  }
  const [from, to] = [stationsOf(origin), stationsOf(destination)];
  if (origin.id === destination.id || from.every((a) => to.every((b) => a.id === b.id))) {
    throw badQuery('destination', 'a station other than the origin', destination.id);
  }
}

function passengersOf(passengers: SearchQuery['passengers'] = 1): readonly Passenger[] {
  const expected = `an integer from 1 to ${MAX_PASSENGERS}, or a list of as many passengers`;
  if (typeof passengers === 'number') {
    if (!isWhole(passengers, 1, MAX_PASSENGERS)) throw badQuery('passengers', expected, passengers);
    return Array.from({ length: passengers }, () => ({}));
  }
  if (!Array.isArray(passengers) || !isWhole(passengers.length, 1, MAX_PASSENGERS)) {
    throw badQuery('passengers', expected, passengers);
  }
  return passengers.map((passenger: Passenger, index) => {
    const name = `passengers[${index}]`;
    if (typeof passenger !== 'object' || passenger === null) {
      throw badQuery(name, 'an object with age and cards', passenger);
    }
    const { age, cards } = passenger;
    if (age !== undefined && !isWhole(age, 0, MAX_AGE)) {
      throw badQuery(`${name}.age`, `an integer from 0 to ${MAX_AGE}`, age);
    }
    if (
      cards !== undefined &&
      !(Array.isArray(cards) && cards.length <= MAX_CARDS && cards.every(isCard))
    ) {
      throw badQuery(
        `${name}.cards`,
        `a list of at most ${MAX_CARDS} codes of 1 to 40 characters`,
        cards,
      );
    }
    return { ...(age !== undefined && { age }), ...(cards?.length && { cards }) };
  });
}

function isCard(card: unknown): boolean {
  return typeof card === 'string' && card.length >= 1 && card.length <= 40;
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Returns today's date at a station, which proves that it is a station. */
function dateAt(
  parameter: string,
  station: Station | StationGroup,
  nowMs: number,
  clock: LocalClock,
): LocalDate {
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
