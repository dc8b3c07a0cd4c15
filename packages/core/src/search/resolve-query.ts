import { aFlag, type Rule, showValue } from '@ticketing/kit';
import type { Passenger, ResolvedQuery, SearchQuery } from '../contract/search-query.ts';
import { RailError } from '../errors.ts';
import {
  aTimeOfDay,
  isLocalDate,
  type LocalClock,
  type LocalDate,
  shiftDay,
} from '../model/local-clock.ts';
import { presentFields } from '../model/present-fields.ts';
import { firstWrong, type Shape } from '../model/shape.ts';
import type { Station, StationGroup } from '../stations/station-index.ts';

const MAX_PASSENGERS = 9;
const MAX_DAYS_AHEAD = 366;
const MAX_TRANSFERS = 8;
const MAX_AGE = 120;
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
  const { origin, destination, date } = query;
  checkEnds(query, (zone) => clock.dateOf(nowMs, zone));
  if (typeof date !== 'string' || !isLocalDate(date)) {
    throw badQuery('date', 'a day of the calendar as YYYY-MM-DD', date);
  }
  const days = searchDays(query, nowMs, clock);
  const { first, last } = days;
  if (date < first || date > last) {
    throw badQuery('date', `a day from ${first} (today at the origin) to ${last}`, date);
  }
  const passengers = passengersOf(query.passengers);
  return { query: { origin, destination, date, ...optionalFields(query), passengers }, days };
}

/** The days that a search may ask for. */
export interface SearchDays {
  readonly first: LocalDate;
  readonly last: LocalDate;
}

/** Returns the days that a search may ask for, given the time now. */
export function searchDays(
  { origin }: Pick<SearchQuery, 'origin'>,
  nowMs: number,
  clock: LocalClock,
): SearchDays {
  const first = clock.dateOf(nowMs, origin.zone);
  return { first, last: shiftDay(first, MAX_DAYS_AHEAD) };
}

const aClass: Rule = {
  expected: 'first or second',
  test: (value) => value === 'first' || value === 'second',
};

const aCurrency: Rule = {
  expected: 'an ISO 4217 code such as CHF',
  test: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
};

const optional: Shape = {
  time: { optional: aTimeOfDay },
  arriveBy: { optional: aFlag },
  maxTransfers: { optional: /* @__PURE__ */ wholeFrom(0, MAX_TRANSFERS) },
  travelClass: { optional: aClass },
  stops: { optional: aFlag },
  currency: { optional: aCurrency },
};

/** Returns the fields without a default that are given, checked. `page` is checked where carriers are known. */
function optionalFields(
  query: SearchQuery,
): Omit<ResolvedQuery, 'origin' | 'destination' | 'date' | 'passengers'> {
  check(query, optional);
  const { time, arriveBy, via, maxTransfers, travelClass, stops, currency, page } = query;
  if (arriveBy && time === undefined) throw badQuery('time', 'given with `arriveBy`', time);
  return presentFields({
    time,
    arriveBy: arriveBy || undefined,
    via,
    maxTransfers,
    travelClass,
    stops: stops || undefined,
    currency,
    page,
  });
}

/** @throws RailError `ERR_BAD_QUERY` for the first wrong field */
function check(value: unknown, shape: Shape): void {
  const found = firstWrong(value, shape);
  if (found !== undefined) throw badQuery(found.path, found.expected, found.got);
}

/** The stations of an end: itself, or the members of a group. */
export function stationsOf(end: Station | StationGroup): readonly Station[] {
  return 'members' in end ? end.members : [end];
}

/** Reads the zone of a station, or throws. */
type ReadZone = (zone: string) => unknown;

function checkEnds({ origin, destination, via }: SearchQuery, readZone: ReadZone): void {
  checkEnd('origin', origin, readZone);
  checkEnd('destination', destination, readZone);
  const [from, to] = [stationsOf(origin), stationsOf(destination)];
  if (origin.id === destination.id || from.every((a) => to.every((b) => a.id === b.id))) {
    throw badQuery('destination', 'a station other than the origin', destination.id);
  }
  if (via === undefined) return;
  checkEnd('via', via, readZone);
  const ends = [...from, ...to].map(({ id }) => id);
  if (stationsOf(via).some(({ id }) => ends.includes(id))) {
    throw badQuery('via', 'a station other than the ends', via.id);
  }
}

function checkEnd(parameter: string, end: Station | StationGroup, readZone: ReadZone): void {
  checkStation(parameter, end, readZone);
  if (!('members' in end)) return;
  const { members } = end;
  if (!Array.isArray(members) || !isWhole(members.length, 1, MAX_MEMBERS)) {
    throw badQuery(parameter, `a group of 1 to ${MAX_MEMBERS} stations`, members);
  }
  for (const [index, member] of members.entries()) {
    checkStation(`${parameter}.members[${index}]`, member, readZone);
  }
}

function checkStation(parameter: string, station: Station, readZone: ReadZone): void {
  if (typeof station?.id !== 'string') throw badQuery(parameter, 'a station', station);
  try {
    readZone(station.zone);
  } catch (error) {
    if (RailError.is(error)) throw error;
    throw badQuery(parameter, 'a station with an IANA time zone', station.zone);
  }
}

const someCards: Rule = {
  expected: 'a list of at most 8 codes of 1 to 40 characters',
  test: (value) =>
    Array.isArray(value) &&
    value.length <= 8 &&
    value.every((card) => typeof card === 'string' && isWhole(card.length, 1, 40)),
};

const travellers: Shape = {
  passengers: [
    { age: { optional: /* @__PURE__ */ wholeFrom(0, MAX_AGE) }, cards: { optional: someCards } },
  ],
};

function passengersOf(passengers: SearchQuery['passengers'] = 1): readonly Passenger[] {
  const count = Array.isArray(passengers) ? passengers.length : passengers;
  const { expected, test } = wholeFrom(1, MAX_PASSENGERS);
  if (!test(count)) {
    throw badQuery('passengers', `${expected}, or a list of as many passengers`, passengers);
  }
  if (typeof passengers === 'number') return Array.from({ length: passengers }, () => ({}));
  check({ passengers }, travellers);
  return passengers.map(({ age, cards }) =>
    presentFields({ age, cards: cards?.length ? cards : undefined }),
  );
}

function wholeFrom(min: number, max: number): Rule {
  return {
    expected: `an integer from ${min} to ${max}`,
    test: (value) => isWhole(value, min, max),
  };
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Returns the error for a wrong field of a query. */
export function badQuery(parameter: string, expected: string, got: unknown): RailError {
  const shown = typeof got === 'object' && got !== null ? 'an object' : showValue(got);
  return new RailError(
    'ERR_BAD_QUERY',
    `Cannot search: \`${parameter}\` must be ${expected}, got ${shown}`,
    { parameter, expected, got },
  );
}
